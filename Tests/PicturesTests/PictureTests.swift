import Testing

@testable import Pictures

/// A PNG of one colour, its data stored without compression.
private func png(_ width: Int, _ height: Int) -> [UInt8] {
    func big(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
    func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        var sum: UInt32 = 0xffff_ffff
        for byte in body {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
        return big(data.count) + body + big(Int(~sum))
    }
    let rows = [UInt8](repeating: 0, count: (width + 1) * height)
    var (a, b) = (1, 0)
    for byte in rows { (a, b) = ((a + Int(byte)) % 65_521, (b + a + Int(byte)) % 65_521) }
    let stored =
        [0x78, 0x01, 1, UInt8(rows.count & 0xff), UInt8(rows.count >> 8)]
        + [UInt8(~rows.count & 0xff), UInt8(~rows.count >> 8 & 0xff)] + rows
        + big(b << 16 | a)
    return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        + chunk("IHDR", big(width) + big(height) + [8, 0, 0, 0, 0]) + chunk("IDAT", stored)
        + chunk("IEND", [])
}

@Suite struct PictureTests {
    @Test func theFormatIsToldByTheFirstBytes() {
        #expect(PictureFormat(of: png(1, 1)) == .png)
        #expect(PictureFormat(of: [0xff, 0xd8, 0xff, 0xe0]) == .jpeg)
        #expect(PictureFormat(of: Array("RIFF\0\0\0\0WEBPVP8 ".utf8)) == .webp)
        for other in ["", "GIF89a", "<svg/>", "RIFF\0\0\0\0WAVE", "BM", "%PDF"] {
            #expect(PictureFormat(of: Array(other.utf8)) == nil)
        }
    }

    @Test func whatIsTooLargeIsToldByTheHeader() throws {
        let modest = try #require(PictureHeader(png(10, 20)))
        #expect(modest.isModest && modest.width == 10 && modest.height == 20)
        var bomb = png(10, 20)
        bomb.replaceSubrange(16..<24, with: [0, 0, 0x80, 0, 0, 0, 0x80, 0])
        let told = try #require(PictureHeader(bomb))
        #expect(!told.isModest && told.width == 32_768)
        // Sides whose product is beyond 64 bits.
        bomb.replaceSubrange(16..<24, with: [UInt8](repeating: 0xff, count: 8))
        #expect(PictureHeader(bomb)?.isModest == false)
    }

    @Test func headersOfAnyBytesAreReadOrRefused() {
        var random = SystemRandomNumberGenerator()
        let starts: [[UInt8]] = [
            Array(png(3, 3).prefix(33)), [0xff, 0xd8, 0xff, 0xe1],
            Array("RIFF\0\0\0\0WEBPVP8X".utf8), Array("RIFF\0\0\0\0WEBPVP8L".utf8),
        ]
        for round in 0..<20_000 {
            let count = Int.random(in: 0..<80, using: &random)
            let noise = (0..<count).map { _ in
                [0, 1, 0xff, 0xe1, 0xc0, UInt8.random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
            let header = PictureHeader(starts[round % starts.count] + noise)
            if let header { #expect((1...8).contains(header.orientation)) }
        }
    }

    @Test func aPictureBecomesTwoSquares() throws {
        let made = try #require(PictureDecoder.squares(png(40, 20), [512, 64]))
        let headers = made.map { PictureHeader($0) }
        #expect(headers.map(\.?.width) == [512, 64] && headers.map(\.?.height) == [512, 64])
        #expect(headers.allSatisfy { $0?.format == .jpeg })
    }

    @Test func aTruncatedPictureIsNone() {
        let whole = png(40, 20)
        for count in stride(from: 0, to: whole.count - 16, by: 7) {
            #expect(PictureDecoder.squares(Array(whole.prefix(count)), [64]) == nil, "\(count)")
        }
    }
}
