internal import Glibc

/// A colour that something is drawn in.
struct Tint: Hashable {
    /// 0xRRGGBB.
    let rgb: UInt32

    init(_ rgb: UInt32) { self.rgb = rgb & 0xff_ffff }

    static let white = Tint(0xff_ffff)
    /// Around what is filled: pale colours end where they end.
    static let edge = Tint(0x55_5555)
    /// Of a pie of nothing.
    static let empty = Tint(0xbf_bfbf)
    /// Of what is put together.
    static let others = Tint(0x80_8080)
    static let axis = Tint(0x8c_8c8c)
    static let grid = Tint(0xdd_dddd)

    private var parts: [Double] { [16, 8, 0].map { Double(rgb >> UInt32($0) & 255) / 255 } }

    /// From 0, black, to 1.
    ///
    /// Source: WCAG 2.2, relative luminance.
    var luminance: Double {
        let linear = parts.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    /// How it stands out against white, from 1 to 21.
    var contrast: Double { 1.05 / (luminance + 0.05) }

    /// The least that lines need to be seen.
    ///
    /// Source: WCAG 2.2, 1.4.11.
    static let contrastLeast = 3.0

    /// Itself, or as much darker as a line of it on white needs.
    var readable: Tint {
        var tint = self
        while tint.contrast < Self.contrastLeast { tint = tint.mixed(with: Tint(0), 0.1) }
        return tint
    }

    func mixed(with other: Tint, _ share: Double) -> Tint {
        var mixed: UInt32 = 0
        for (one, two) in zip(parts, other.parts) {
            mixed = mixed << 8 | UInt32((one * (1 - share) + two * share) * 255)
        }
        return Tint(mixed)
    }

    /// How far two are apart, from 0 to 1, as eyes weigh red, green and blue.
    func distance(to other: Tint) -> Double {
        let squares = zip(parts, other.parts).map { ($0 - $1) * ($0 - $1) }
        return (0.3 * squares[0] + 0.59 * squares[1] + 0.11 * squares[2]).squareRoot()
    }

    /// What stands side by side is so far apart at least.
    static let distanceLeast = 0.12

    /// The same colours, other shades of them where one would be taken for the one beside it; of a
    /// ring the last stands beside the first.
    static func apart(_ tints: [Tint], isRing: Bool) -> [Tint] {
        var chosen: [Tint] = []
        for (index, tint) in tints.enumerated() {
            var beside = chosen.last.map { [$0] } ?? []
            if isRing, index == tints.count - 1, index > 1, let first = chosen.first {
                beside.append(first)
            }
            let shades = [
                tint, tint.mixed(with: Tint(0), 0.45), tint.mixed(with: .white, 0.45),
                Tint(0x40_4040), Tint(0xa0_a0a0), Tint(0xe8_e8e8),
            ]
            let fit = shades.first { shade in
                beside.allSatisfy { shade.distance(to: $0) >= distanceLeast }
            }
            chosen.append(fit ?? tint)
        }
        return chosen
    }
}
