import Foundation
import Testing

/// Every target over mutations of its corpus; `deploy/fuzz` does the same with libFuzzer.
@Suite struct FuzzTests {
    static let seconds =
        ProcessInfo.processInfo.environment["EZWALLET_FUZZ_SECONDS"].flatMap(Double.init) ?? 0.5
    static let seed =
        ProcessInfo.processInfo.environment["EZWALLET_FUZZ_SEED"].flatMap(UInt64.init)
        ?? UInt64.random(in: 0...UInt64.max)

    @Test func everyTargetIsThereOnce() {
        let names = FuzzTarget.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: FuzzTarget.all)
    func seedsHoldWhatMustHold(_ target: FuzzTarget) {
        let seeds = target.seeds()
        #expect(!seeds.isEmpty)
        for (number, seed) in seeds.enumerated() {
            #expect(throws: Never.self, "\(target), corpus \(number)") { try target.check(seed) }
        }
    }

    @Test(arguments: FuzzTarget.all)
    func whateverTheBytesTheRulesHold(_ target: FuzzTarget) throws {
        var mutator = Mutator(target, seed: Self.seed)
        let present = try PresentInput(target.name)
        defer { present.remove() }
        let end = ContinuousClock.now + .seconds(Self.seconds)
        var round = 0
        while ContinuousClock.now < end {
            let input = mutator.next()
            round += 1
            present.keep(input)
            let begin = threadSeconds()
            do {
                try target.check(input)
            } catch {
                Issue.record(
                    "\(target): \(error); seed \(Self.seed), round \(round): \(base64(input))"
                )
                return
            }
            let took = threadSeconds() - begin
            if took > 5 {
                Issue.record(
                    "\(target): \(took) s; seed \(Self.seed), round \(round): \(base64(input))"
                )
                return
            }
        }
    }

    private func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}

/// The input that is being checked, in a file: what traps takes the process and its words along.
struct PresentInput {
    private let descriptor: CInt
    private let path: String

    init(_ name: String) throws {
        let folder = FileManager.default.temporaryDirectory.path
        path = "\(folder)/ezwallet-fuzz-\(getpid())-\(name)"
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0, "cannot write \(path)")
        print("\(name), seed \(FuzzTests.seed): the present input is in \(path)")
    }

    func keep(_ input: [UInt8]) {
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, input, input.count, 0)
    }

    func remove() {
        close(descriptor)
        unlink(path)
    }
}

/// What this thread has had of a processor: what else the machine does is no matter.
func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
