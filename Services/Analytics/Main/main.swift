import AnalyticsService
import ServiceKit

Service.main(analyticsService)
