import AnalyticsService
import ServiceKit

// Texts are set in a process of its own: neither its libraries nor fonts are ever loaded here.
if CommandLine.arguments.dropFirst().elementsEqual([typesetCommand]) { serveTypesetting() }
Service.main(analyticsService)
