import Testing

@testable import QRCodes

/// The code's frame, its bounds, and that the drawing is the code.
///
/// What it says is read by another library in test_link_pictures.py and test_payment_codes.py.
@Suite struct QRCodeTests {
    private func bytes(_ count: Int, _ random: inout SystemRandomNumberGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    @Test func itHasThreeFindersAndALightMargin() throws {
        var random = SystemRandomNumberGenerator()
        for count in [1, 2, 14, 15, 100, 331, 999, 1_000] {
            let code = try QRCode(bytes(count, &random))
            #expect(code.size % 4 == 1 && (21...121).contains(code.size))
            let last = code.size - 7
            for (left, top) in [(0, 0), (last, 0), (0, last)] {
                var isFinder = true
                for y in 0..<7 {
                    for x in 0..<7 {
                        let ring = max(abs(x - 3), abs(y - 3))
                        isFinder = isFinder && code.isDark(left + x, top + y) == (ring != 2)
                    }
                }
                #expect(isFinder, "\(count) \(left) \(top)")
            }
            for at in [-5, -1, code.size, code.size + 4, .max, .min] {
                #expect(!code.isDark(at, 0) && !code.isDark(0, at))
            }
        }
    }

    @Test func nothingAndTooMuchAreRefused() throws {
        #expect(throws: QRCodeError.empty) { try QRCode("") }
        let longest = String(repeating: "é", count: QRCode.bytesMax / 2)
        _ = try QRCode(longest)
        #expect(throws: QRCodeError.tooLong(bytes: 1_001, max: 1_000)) {
            try QRCode(longest + "x")
        }
    }

    @Test func zerosAreBytesLikeOthers() throws {
        #expect(try QRCode([0]) != QRCode([0, 0]))
        #expect(try QRCode([0, 65]) != QRCode([0, 66]))
    }

    /// The modules that the path fills, each once.
    private func filled(_ svg: String) throws -> (side: Int, modules: Set<[Int]>) {
        let box = try #require(svg.split(separator: "viewBox=\"0 0 ").last?.split(separator: " "))
        let side = try #require(box.first.flatMap { Int($0) })
        let drawn = try #require(svg.split(separator: "<path d=\"").last)
        let path = try #require(drawn.split(separator: "\"").first)
        var modules: Set<[Int]> = []
        var isOnce = true
        for piece in path.split(separator: "z") {
            let numbers = piece.split { "Mhv- ".contains($0) }.compactMap { Int($0) }
            try #require(numbers.count == 5 && numbers[3] == 1 && numbers[2] == numbers[4])
            for x in numbers[0]..<numbers[0] + numbers[2] {
                isOnce = modules.insert([x, numbers[1]]).inserted && isOnce
            }
        }
        #expect(isOnce)
        return (side, modules)
    }

    @Test func theDrawingIsTheCodeWithItsQuietZone() throws {
        var random = SystemRandomNumberGenerator()
        for count in [1, 50, 331, 1_000] {
            let code = try QRCode(bytes(count, &random))
            let drawn = try filled(String(decoding: code.svg, as: UTF8.self))
            #expect(drawn.side == code.size + 8)
            var isSame = true
            for y in 0..<drawn.side {
                for x in 0..<drawn.side {
                    let isDrawn = drawn.modules.contains([x, y])
                    isSame = isSame && isDrawn == code.isDark(x - 4, y - 4)
                }
            }
            #expect(isSame, "\(count)")
        }
    }

    @Test func manyAtOnceMakeWhatOneMakes() async throws {
        let expected = try (1...40).map { try QRCode(String(repeating: "x", count: $0 * 8)) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for round in 0..<200 {
                group.addTask {
                    let number = round % 40
                    return try QRCode(String(repeating: "x", count: (number + 1) * 8))
                        == expected[number]
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
    }
}
