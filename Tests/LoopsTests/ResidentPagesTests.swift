import FoundationEssentials
import Loops
import Testing

/// What a process keeps resident once it has started.
@Suite struct ResidentPagesTests {
    /// Pages of code go, and come back as soon as they are run: this one goes on.
    @Test func codeThatIsNotRunIsNotResident() throws {
        let before = try residentOfFiles()
        releaseStartPages()
        let after = try residentOfFiles()
        #expect(after < before)
        #expect(after > 0)
    }

    private func residentOfFiles() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(Int(line.split(whereSeparator: { !$0.isNumber })[0]))
    }
}
