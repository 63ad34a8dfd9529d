import AuthService
import ServiceKit

Service.main(authService)
