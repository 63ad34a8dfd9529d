import AuthService
import ServiceKit

// A stranger's picture is decoded in a process of its own, which knows nothing.
if CommandLine.arguments.dropFirst().elementsEqual([pictureCommand]) { servePicture() }
Service.main(authService)
