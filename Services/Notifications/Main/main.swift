import NotificationsService
import ServiceKit

Service.main(notificationsService)
