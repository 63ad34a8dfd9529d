import WalletProtocol

/// The colours that categories are given in turn, far enough apart to be told from each other.
enum Palette {
    /// That of «Others».
    static let grey = Colour(rgb: 0x808080)

    static let colours: [Colour] = [
        0x1f77b4, 0xff7f0e, 0x2ca02c, 0xd62728, 0x9467bd, 0x8c564b, 0xe377c2, 0xbcbd22, 0x17becf,
        0x393b79, 0x637939, 0x8c6d31, 0x843c39, 0x7b4173, 0x3182bd, 0xe6550d, 0x31a354, 0x756bb1,
    ].map(Colour.init(rgb:))

    /// The first that nobody has, or the one that comes next in turn.
    static func next(after taken: [Colour]) -> Colour {
        let used = Set(taken)
        return colours.first { !used.contains($0) } ?? colours[taken.count % colours.count]
    }
}
