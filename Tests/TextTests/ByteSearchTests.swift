import Testing
import Text

@Suite struct ByteSearchTests {
    @Test func aTextIsFoundWhereItStandsFirst() {
        var random = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0 ... .max, using: &random)
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<2_000 {
            let text = (0..<next(12)).map { _ in UInt8(97 + next(2)) }
            let bytes = (0..<next(4)).map { _ in UInt8(97 + next(2)) }
            let wanted = String(decoding: bytes, as: UTF8.self)
            let length = wanted.utf8.count
            let places = length == 0 || length > text.count ? [] : Array(0...(text.count - length))
            let first = places.first { Array(text[$0..<($0 + length)]) == Array(wanted.utf8) }
            let found = text.range(of: wanted)
            #expect(found == first.map { $0..<($0 + length) }, "seed \(seed): \(wanted) in \(text)")
        }
    }
}
