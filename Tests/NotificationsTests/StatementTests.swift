import ServiceKit
import TestKit
import Testing

@testable import NotificationsService

@Suite struct StatementTests {
    @Test func everyStatementIsALookUpByTheIndexesThatItNames() async throws {
        let faults = try await WrittenStatement.faults(of: notificationsService)
        for fault in faults { Issue.record("\(fault)") }
    }
}
