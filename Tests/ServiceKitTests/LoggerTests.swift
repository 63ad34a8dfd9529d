import Foundation
import Glibc
import Testing
import WalletProtocol

@testable import ServiceKit

/// The log over a real pipe.
@Suite struct LoggerTests {
    // As every executable does first.
    init() { _ = signal(SIGPIPE, SIG_IGN) }

    private struct Pipe {
        let read: Int32
        let write: Int32
        init() {
            var ends: [Int32] = [0, 0]
            _ = pipe(&ends)
            (read, write) = (ends[0], ends[1])
        }
    }

    /// Everything that comes until the other end is closed.
    private func drain(_ descriptor: Int32) -> [UInt8] {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count <= 0 { return all }
            all.append(contentsOf: chunk[0..<count])
        }
    }

    private func lines(_ bytes: [UInt8]) throws -> [[String: Any]] {
        #expect(bytes.isEmpty || bytes.last == 0x0a)
        return try bytes.split(separator: 0x0a).map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        }
    }

    @Test func everyLineIsJSONWhateverIsInIt() throws {
        let pipe = Pipe()
        let logger = Logger(service: "test", descriptor: pipe.write)
        let hostile = [
            "\"}\n{\"level\":\"error\"", "\\", "\u{0}\u{1}\u{1f}\u{7f}", "\u{2028}\u{2029}", "💶é",
            "\r\n\t", String(repeating: "x", count: 10_000), "",
            String(decoding: [0xff, 0xc0, 0x80] as [UInt8], as: UTF8.self),
        ]
        for text in hostile { logger.info(text, [("value", text), ("\"k\"", text)]) }
        logger.flush()
        close(pipe.write)
        let read = try lines(drain(pipe.read))
        close(pipe.read)
        #expect(read.map { $0["message"] as? String } == hostile)
        #expect(read.map { $0["value"] as? String } == hostile)
        #expect(read.allSatisfy { $0["ts"] is String && $0["level"] as? String == "info" })
    }

    @Test func aFloodNeitherBlocksNorGrowsAndIsCounted() throws {
        let pipe = Pipe()
        // Nobody reads: the pipe fills, the writer waits, and those who log do not.
        let logger = Logger(service: "test", descriptor: pipe.write)
        let filler = String(repeating: "x", count: 200)
        let written = 3 * Logger.linesMax
        for number in 0..<written { logger.info(filler, [("n", String(number))]) }
        #expect(logger.waiting <= Logger.linesMax)
        let reader = Reading()
        let thread = Thread {
            reader.bytes = self.drain(pipe.read); reader.done.signal()
        }
        thread.start()
        logger.flush(withinSeconds: 60)
        close(pipe.write)
        reader.done.wait()
        close(pipe.read)
        let read = try lines(reader.bytes)
        let told = read.filter { $0["message"] as? String == filler }
        let dropped = read.compactMap { $0["count"] as? Int }.reduce(0, +)
        #expect(told.count + dropped == written)
        #expect(dropped > 0 && told.count >= Logger.linesMax)
        let numbers = told.compactMap { ($0["n"] as? String).flatMap { Int($0) } }
        #expect(numbers == numbers.sorted())
        #expect(read.allSatisfy { $0["ts"] is String })
    }

    @Test func theLastLinesAreWrittenBeforeTheEnd() throws {
        for _ in 0..<50 {
            let pipe = Pipe()
            let logger = Logger(service: "test", descriptor: pipe.write)
            for number in 0..<20 { logger.info("line", [("n", String(number))]) }
            logger.info("ended")
            logger.flush()
            // Whoever flushes again is not kept waiting, and what comes too late is not written.
            logger.flush()
            logger.info("late")
            close(pipe.write)
            let read = try lines(drain(pipe.read))
            close(pipe.read)
            #expect(read.count == 21)
            #expect(read.last?["message"] as? String == "ended")
        }
    }

    @Test func aDeafReaderDoesNotHoldUpTheEnd() {
        let pipe = Pipe()
        let logger = Logger(service: "test", descriptor: pipe.write)
        for _ in 0..<2_000 { logger.info(String(repeating: "x", count: 200)) }
        let started = DispatchTime.now()
        logger.flush(withinSeconds: 1)
        let seconds =
            Double(DispatchTime.now().uptimeNanoseconds - started.uptimeNanoseconds) / 1e9
        #expect(seconds < 30)
        // Lets the writer go.
        close(pipe.read)
    }

    @Test func aNonBlockingDescriptorLosesNothing() throws {
        let pipe = Pipe()
        _ = fcntl(pipe.write, F_SETFL, fcntl(pipe.write, F_GETFL) | O_NONBLOCK)
        let logger = Logger(service: "test", descriptor: pipe.write)
        for number in 0..<2_000 {
            logger.info(String(repeating: "x", count: 200), [("n", String(number))])
        }
        let reader = Reading()
        let thread = Thread {
            reader.bytes = self.drain(pipe.read); reader.done.signal()
        }
        thread.start()
        logger.flush(withinSeconds: 60)
        close(pipe.write)
        reader.done.wait()
        close(pipe.read)
        let read = try lines(reader.bytes)
        #expect(read.count == 2_000)
    }

    @Test func lessThanTheLevelIsNotWritten() throws {
        let pipe = Pipe()
        let logger = Logger(service: "test", level: .warning, descriptor: pipe.write)
        logger.info("no")
        logger.warning("yes")
        logger.flush()
        close(pipe.write)
        let read = try lines(drain(pipe.read))
        close(pipe.read)
        #expect(read.map { $0["message"] as? String } == ["yes"])
    }
}

/// What another thread has read.
private final class Reading: @unchecked Sendable {
    var bytes: [UInt8] = []
    let done = DispatchSemaphore(value: 0)
}
