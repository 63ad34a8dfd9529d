extension Rule where Value.Content == Money {
    /// No more than may be sent (`Money.sentMax`): of every amount that comes in.
    ///
    /// Whoever reads what is stored already (`ignoresUnknownFields`) is not held to it.
    public static var sent: Rule {
        let schema: JSONTree = ["amount": ["pattern": .string(Money.sentPattern)]]
        return Rule(schema: [JSONMember("properties", schema)]) { money, reading in
            guard !reading.ignoresUnknownFields, money.isBeyondSent else { return }
            reading.fail(.amountTooLarge, Money.tooLarge, at: "/amount")
        }
    }

    /// More than nothing.
    public static var positive: Rule {
        Rule { money, reading in
            if !money.isPositive { reading.fail(.notPositive, "must be above zero", at: "/amount") }
        }
    }

    /// More or less than nothing.
    public static var notZero: Rule {
        Rule { money, reading in
            if money.isZero { reading.fail(.outOfRange, "must not be zero", at: "/amount") }
        }
    }

    /// Nothing or more.
    public static var notNegative: Rule {
        Rule { money, reading in
            if money.isNegative {
                reading.fail(.negative, "must not be below zero", at: "/amount")
            }
        }
    }
}

extension Money {
    /// Texts of amounts up to `sentMax`, whatever their currency.
    static let sentPattern =
        #"^-?((0|[1-9][0-9]{0,12})(\.[0-9]{1,4})?|\#(sentMax)(\.0{1,4})?)$"#

    /// What is told of an amount that is more than may be sent.
    public static let tooLarge = "must be at most \(sentMax) major units either way"

    /// Whether it is more than may be sent.
    public var isBeyondSent: Bool {
        // Exponents are 0 to 4, so that the bound fits.
        minorUnits.magnitude > UInt64(Money.sentMax * currency.minorUnitsPerUnit)
    }
}
