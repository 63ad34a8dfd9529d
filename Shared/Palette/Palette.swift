import Text
public import WalletProtocol

/// What categories are made of: colours that can be told from each other, symbols, a built-in set.
///
/// People's own and groups' are made of the same.
public enum Palette {
    /// That of «Others».
    public static let grey = Colour(rgb: 0x808080)

    static let colours: [Colour] = [
        0x1f77b4, 0xff7f0e, 0x2ca02c, 0xd62728, 0x9467bd, 0x8c564b, 0xe377c2, 0xbcbd22, 0x17becf,
        0x393b79, 0x637939, 0x8c6d31, 0x843c39, 0x7b4173, 0x3182bd, 0xe6550d, 0x31a354, 0x756bb1,
    ].map(Colour.init(rgb:))

    /// Names that clients draw; what a client does not know it draws as `dots`.
    static let symbols = [
        "dots", "cart", "restaurant", "coffee", "wine", "shirt", "home", "key", "bolt", "water",
        "sofa", "tools", "health", "pill", "tooth", "car", "fuel", "bus", "train", "plane", "bike",
        "phone", "wifi", "laptop", "book", "film", "music", "game", "sport", "ticket", "palette",
        "school", "hotel", "shield", "bank", "chart", "scissors", "baby", "child", "pet", "gift",
        "heart", "flag", "tax", "briefcase", "coin", "wallet", "piggy", "refresh", "globe", "tree",
        "star",
    ]

    /// The first that nobody has, or the one that comes next in turn.
    public static func next(after taken: [Colour]) -> Colour {
        let used = Set(taken)
        return colours.first { !used.contains($0) } ?? colours[taken.count % colours.count]
    }

    /// - Throws: 422 for a symbol that there is not.
    public static func check(_ symbol: String?) throws(APIError) {
        guard let symbol, !symbols.contains(symbol) else { return }
        throw .field("/symbol", .invalidValue, "is no symbol of the palette")
    }

    /// What the built-in category of this name counts as, in either language; nil for other names.
    public static func coicop(ofFolded name: String) -> Coicop? { divisions[name] }

    /// What is offered to everybody; `name` in English.
    static let offered: [OfferedCategory] = builtIn.enumerated().map { index, one in
        OfferedCategory(
            name: one.names[0],
            color: colours[index % colours.count],
            symbol: one.symbol,
            type: one.type,
            coicop: one.coicop
        )
    }

    /// All of it, as clients are told.
    public static let view = PaletteView(colors: colours, symbols: symbols, categories: offered)

    private static let divisions: [String: Coicop] = {
        var known: [String: Coicop] = [:]
        for one in builtIn {
            for name in one.names { known[TextFolding.caseFolded(name)] = one.coicop }
        }
        return known
    }()

    private struct BuiltIn {
        /// English, then Italian, then other words for it.
        let names: [String]
        let symbol: String
        let type: CategoryType
        let coicop: Coicop?

        init(
            _ names: String...,
            symbol: String,
            _ coicop: Coicop?,
            type: CategoryType = .expense
        ) {
            self.names = names
            self.symbol = symbol
            self.type = type
            self.coicop = coicop
        }
    }

    /// One for each division of COICOP 2018 and what people part further; incomes have no division.
    ///
    /// Source: United Nations Statistics Division, COICOP 2018.
    private static let builtIn: [BuiltIn] = [
        BuiltIn("Groceries", "Spesa", "Food", "Alimentari", symbol: "cart", .food),
        BuiltIn("Alcohol and tobacco", "Alcol e tabacco", symbol: "wine", .alcoholAndTobacco),
        BuiltIn("Clothing", "Abbigliamento", "Clothes", symbol: "shirt", .clothing),
        BuiltIn("Housing", "Casa", "Home", symbol: "home", .housing),
        BuiltIn("Rent", "Affitto", symbol: "key", .housing),
        BuiltIn("Utilities", "Bollette", symbol: "bolt", .housing),
        BuiltIn("Furnishings", "Arredamento", "Household", symbol: "sofa", .furnishings),
        BuiltIn("Health", "Salute", symbol: "health", .health),
        BuiltIn("Transport", "Trasporti", symbol: "bus", .transport),
        BuiltIn("Car", "Auto", "Fuel", "Carburante", symbol: "car", .transport),
        BuiltIn("Phone and internet", "Telefono e internet", symbol: "phone", .communication),
        BuiltIn("Leisure", "Tempo libero", "Entertainment", symbol: "film", .recreation),
        BuiltIn("Sport", "Sports", symbol: "sport", .recreation),
        BuiltIn("Pets", "Animali", symbol: "pet", .recreation),
        BuiltIn("Education", "Istruzione", "School", "Scuola", symbol: "school", .education),
        BuiltIn("Restaurants", "Ristoranti", "Eating out", symbol: "restaurant", .restaurants),
        BuiltIn("Travel", "Viaggi", "Holidays", "Vacanze", symbol: "plane", .restaurants),
        BuiltIn("Insurance", "Assicurazioni", symbol: "shield", .finance),
        BuiltIn("Bank fees", "Spese bancarie", symbol: "bank", .finance),
        BuiltIn("Personal care", "Cura personale", symbol: "scissors", .personalCare),
        BuiltIn("Children", "Figli", "Childcare", symbol: "child", .personalCare),
        BuiltIn("Gifts", "Regali", symbol: "gift", .personalCare, type: .both),
        BuiltIn("Donations", "Donazioni", symbol: "heart", .nonProfit),
        BuiltIn("Taxes", "Tasse", symbol: "tax", .government),
        BuiltIn("Salary", "Stipendio", symbol: "briefcase", nil, type: .income),
        BuiltIn("Interest", "Interessi", symbol: "coin", nil, type: .income),
        BuiltIn("Refunds", "Rimborsi", symbol: "refresh", nil, type: .income),
        BuiltIn("Allowance", "Paghetta", symbol: "piggy", nil, type: .both),
        BuiltIn("Savings", "Risparmi", symbol: "chart", nil, type: .both),
    ]
}
