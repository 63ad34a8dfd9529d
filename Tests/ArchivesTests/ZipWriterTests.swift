import CZlib
import Testing

@testable import Archives

/// The archive as its own format has it; that other readers take it, test_export.py shows.
@Suite struct ZipWriterTests {
    @Test(arguments: 0..<20)
    func whatGoesInComesOut(round: Int) throws {
        var random = SystemRandomNumberGenerator()
        let zip = try ZipWriter()
        var archive: [UInt8] = []
        var files: [[UInt8]] = []
        for number in 0..<Int.random(in: 0...5, using: &random) {
            try zip.begin("té\(number).json")
            var contents: [UInt8] = []
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let isPlain = Bool.random(using: &random)
                let piece = (0..<Int.random(in: 0...90_000, using: &random)).map { _ in
                    isPlain ? UInt8(ascii: "a") : UInt8.random(in: 0...255, using: &random)
                }
                try zip.write(piece)
                contents += piece
                if Bool.random(using: &random) { archive += zip.take() }
            }
            files.append(contents)
        }
        try zip.finish()
        archive += zip.take()
        #expect(zip.waiting == 0)

        let end = archive.count - 22
        #expect(archive.number(end, 4) == 0x0605_4b50)
        #expect(archive.number(end + 10, 2) == files.count)
        var at = archive.number(end + 16, 4)
        for (number, contents) in files.enumerated() {
            let name = Array("té\(number).json".utf8)
            #expect(archive.number(at, 4) == 0x0201_4b50)
            #expect(archive.number(at + 8, 2) & 1 << 11 != 0)
            #expect(archive.number(at + 24, 4) == contents.count)
            #expect(Array(archive[(at + 46)..<(at + 46 + name.count)]) == name)
            let checksum = unsafe contents.withUnsafeBufferPointer { bytes in
                unsafe crc32(0, bytes.baseAddress, UInt32(bytes.count))
            }
            #expect(archive.number(at + 16, 4) == (contents.isEmpty ? 0 : Int(checksum)))
            let start = archive.number(at + 42, 4) + 30 + name.count
            let packed = Array(archive[start..<(start + archive.number(at + 20, 4))])
            let isSame = inflated(packed, to: contents.count) == contents
            #expect(isSame)
            at += 46 + name.count
        }
        #expect(at == end)
    }

    // Safety: zlib's state lives for the call, and is told the lengths of both arrays.
    private func inflated(_ packed: [UInt8], to length: Int) -> [UInt8] {
        var stream = unsafe z_stream()
        unsafe inflateInit2_(
            &stream,
            -15,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        defer { unsafe inflateEnd(&stream) }
        var packed = packed
        var contents = [UInt8](repeating: 0, count: length + 1)
        unsafe packed.withUnsafeMutableBufferPointer { input in
            unsafe contents.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(output.count)
                _ = unsafe inflate(&stream, Z_FINISH)
            }
        }
        return Array(contents.prefix(Int(unsafe stream.total_out)))
    }
}

extension [UInt8] {
    fileprivate func number(_ at: Int, _ bytes: Int) -> Int {
        (0..<bytes).reduce(0) { $0 | Int(self[at + $1]) << (8 * $1) }
    }
}
