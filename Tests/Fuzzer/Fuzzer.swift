import FoundationEssentials
import FuzzTargets
import Glibc

// Where libFuzzer comes in; `deploy/fuzz` says by the environment which target it is.

private enum Chosen {
    static let folder = ProcessInfo.processInfo.environment["EZWALLET_FUZZ_SEEDS"]
    static let target = FuzzTarget.all.first {
        $0.name == ProcessInfo.processInfo.environment["EZWALLET_FUZZ_TARGET"]
    }
}

/// Before libFuzzer begins: the names of all targets, or a corpus and its dictionary.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> CInt {
    guard let folder = Chosen.folder else {
        if Chosen.target == nil { preconditionFailure("EZWALLET_FUZZ_TARGET names no target") }
        return 0
    }
    for target in FuzzTarget.all {
        print(target.name)
        guard !folder.isEmpty else { continue }
        let corpus = "\(folder)/\(target.name)/corpus"
        do {
            try FileManager.default.createDirectory(
                atPath: corpus,
                withIntermediateDirectories: true
            )
            for (number, seed) in target.seeds().enumerated() {
                try Data(seed).write(to: URL(filePath: "\(corpus)/seed-\(number)"))
            }
            let words = target.words.map { word in
                "\"" + word.utf8.map { "\\x" + hexadecimal($0) }.joined() + "\""
            }
            try Data(words.joined(separator: "\n").utf8)
                .write(to: URL(filePath: "\(folder)/\(target.name)/words"))
        } catch {
            preconditionFailure("\(corpus): \(error)")
        }
    }
    exit(0)
}

private func hexadecimal(_ byte: UInt8) -> String {
    String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
}

/// One input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
    do {
        try Chosen.target?.check(bytes)
    } catch {
        preconditionFailure("\(error)")
    }
    return 0
}
