import Testing

/// Eight times the bytes take some eight times as long, not sixty-four times.
@Suite(.serialized) struct GrowthTests {
    /// What a time must be to be told from nothing.
    static let measurable = 0.001
    static let bytesMax = 1 << 15

    @Test(arguments: FuzzTarget.all.filter { !$0.growths.isEmpty })
    func timeGrowsWithTheBytes(_ target: FuzzTarget) {
        for growth in target.growths {
            let found = ratio { bytes in
                let input = growth.input(bytes)
                return Self.seconds { try? target.check(input) }
            }
            #expect(found.ratio < 28, "\(target), \(growth): \(found)")
        }
    }

    /// The measure finds what it is there for.
    @Test func aReaderThatLooksAgainAndAgainIsFound() {
        let found = ratio { bytes in
            let input = [UInt8](repeating: 1, count: bytes / 64)
            return Self.seconds {
                var sum = 0
                for end in input.indices { for byte in input[..<end] { sum += Int(byte) } }
                #expect(sum >= 0)
            }
        }
        #expect(found.ratio > 30, "\(found)")
    }

    /// How much longer eight times the bytes take; the shortest times of some runs.
    private func ratio(
        _ seconds: (Int) -> Double
    ) -> (ratio: Double, bytes: Int, short: Double, long: Double) {
        var bytes = 1 << 12
        while bytes < Self.bytesMax, seconds(bytes) < Self.measurable { bytes *= 2 }
        var (short, long) = (Double.infinity, Double.infinity)
        for _ in 0..<5 {
            short = min(short, seconds(bytes))
            long = min(long, seconds(8 * bytes))
            // The first pair mostly says that nothing is wrong.
            if long < 12 * short { break }
        }
        return (long / max(short, Self.measurable), bytes, short, long)
    }

    private static func seconds(_ work: () -> Void) -> Double {
        let begin = threadSeconds()
        work()
        return threadSeconds() - begin
    }
}
