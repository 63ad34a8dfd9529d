import TestKit
import Testing

@testable import Archives

/// Archives written here by hand, with a checksum computed bit by bit.
@Suite struct OnlyFileTests {
    private struct Archive {
        var contents = Array("Date,USD,\n2026-10-30,1.1172,\n".utf8)
        var comment: [UInt8] = []
        var flags = 0
        var method = 8
        var entries = 1
        var checksum: UInt32?
        var length: Int?
        var between: [UInt8] = []

        /// One stored block (RFC 1951, 3.2.4).
        var packed: [UInt8] {
            let count = contents.count
            return [1] + little(count, 2) + little(~count & 0xFFFF, 2) + contents
        }

        var bytes: [UInt8] {
            let name = Array("rates.csv".utf8)
            let sum = Int(checksum ?? crc32(contents))
            let local =
                little(0x0403_4b50, 4) + little(20, 2) + little(flags, 2) + little(method, 2)
                + little(0, 4) + little(sum, 4) + little(packed.count, 4)
                + little(length ?? contents.count, 4)
                + little(name.count, 2) + little(0, 2) + name
            let directory =
                little(0x0201_4b50, 4) + little(20, 2) + little(20, 2) + little(flags, 2)
                + little(method, 2) + little(0, 4) + little(sum, 4) + little(packed.count, 4)
                + little(length ?? contents.count, 4) + little(name.count, 2) + little(0, 12)
                + little(0, 4) + name
            let start = local.count + packed.count + between.count
            let end =
                little(0x0605_4b50, 4) + little(0, 4) + little(entries, 2) + little(entries, 2)
                + little(directory.count, 4) + little(start, 4) + little(comment.count, 2)
            return local + packed + between + directory + end + comment
        }
    }

    private func refusal(_ archive: [UInt8], bytesMax: Int = 1 << 20) -> ZipError? {
        do throws(ZipError) {
            _ = try PackedFiles.onlyFile(of: archive, bytesMax: bytesMax)
            return nil
        } catch { return error }
    }

    private func only(_ archive: Archive) throws(ZipError) -> [UInt8] {
        try PackedFiles.onlyFile(of: archive.bytes, bytesMax: 1 << 20)
    }

    @Test func theOnlyFileIsUnpacked() throws {
        let archive = Archive()
        let contents = try only(archive)
        #expect(contents == archive.contents)
        let commented = try only(Archive(comment: Array("a comment".utf8)))
        #expect(commented == archive.contents)
        let empty = try only(Archive(contents: []))
        #expect(empty.isEmpty)
    }

    @Test func otherArchivesAreRefused() {
        let count = Archive().contents.count
        #expect(refusal([]) == .malformed)
        #expect(refusal(Array(repeating: 0, count: 100)) == .malformed)
        #expect(refusal(Archive(entries: 2).bytes) == .malformed)
        #expect(refusal(Archive(entries: 0).bytes) == .entries(0))
        #expect(refusal(Archive(method: 0).bytes) == .corrupt)
        #expect(refusal(Archive(method: 12).bytes) == .unsupported(method: 12))
        #expect(refusal(Archive(checksum: 7).bytes) == .checksum)
        #expect(refusal(Archive(length: count - 1).bytes) == .corrupt)
        #expect(refusal(Archive(length: count + 1).bytes) == .corrupt)
        #expect(refusal(Archive(flags: 1).bytes) == .unsupported(method: 8))
    }

    @Test func anEntryIsTakenUpToTheLimitAndNotBeyond() {
        let count = Archive().contents.count
        #expect(refusal(Archive().bytes, bytesMax: count) == nil)
        #expect(refusal(Archive().bytes, bytesMax: count - 1) == .tooLarge(count))
        #expect(refusal(Archive(length: 0xFFFF_FFFF).bytes) == .tooLarge(0xFFFF_FFFF))
    }

    @Test func everyPrefixIsRefused() {
        let bytes = Archive().bytes
        for count in 0..<bytes.count {
            let isRefused = refusal(Array(bytes[..<count])) != nil
            #expect(isRefused, "\(count)")
        }
    }

    @Test(arguments: [1, 2, 0xDEAD_BEEF, .random(in: 0...UInt64.max)] as [UInt64])
    func changedBytesGiveTheContentsOrAnError(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let archive = Archive()
        for _ in 0..<3_000 {
            var bytes = archive.bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                    in: 0...255,
                    using: &random
                )
            }
            let contents = try? PackedFiles.onlyFile(of: bytes, bytesMax: 1 << 20)
            let isFine = contents == nil || contents == archive.contents
            #expect(isFine, "seed \(seed)")
        }
    }
}

private func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
}

private func crc32(_ bytes: [UInt8]) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
}
