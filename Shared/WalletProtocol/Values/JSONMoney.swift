extension Money: JSONValue {
    /// Reads `{"amount":"-12.50","currency":"EUR"}`, in either order, and nothing else.
    public static func read(_ source: JSONSource, _ reading: inout JSONReading) -> Money? {
        parts(source, &reading).map { Money(minorUnits: $0.units, $0.currency) }
    }

    /// The same by hand.
    public static func read(plain json: inout PlainJSON) -> Money? {
        guard json.begins("{") else { return nil }
        var amount: ArraySlice<UInt8>?
        var currency: Currency?
        repeat {
            if amount == nil, json.names(#""amount""#) {
                guard json.skip("\""), let text = json.text() else { return nil }
                amount = text
            } else if currency == nil, json.names(#""currency""#) {
                guard let known = json.quoted(Currency.self) else { return nil }
                currency = known
            } else {
                return nil
            }
        } while json.goesOn()
        guard json.ends("}"), let amount, let currency,
            let units: Int64 = try? parse(amount, exponent: currency.exponent)
        else { return nil }
        return Money(minorUnits: units, currency)
    }

    /// Writes amount and currency.
    public func write(to writer: inout JSONWriter) {
        Money.write(minorUnits, currency, to: &writer)
    }

    /// A reference to the schema of money.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        components.reference("Money", to: Money.self) { components in
            schema(
                &components,
                described: """
                    Decimal with exactly the currency's ISO 4217 digits; minus is money out. What \
                    is sent is at most 10,000,000,000,000 major units either way.
                    """,
                examples: [
                    ["amount": "-12.50", "currency": "EUR"], ["amount": "1200", "currency": "JPY"],
                    ["amount": "0.125", "currency": "KWD"],
                ]
            )
        }
    }
}

// What amounts of 64 and of 128 bits have in common.
extension Money {
    static func parts<Units: FixedWidthInteger & SignedInteger>(
        _ source: JSONSource,
        _ reading: inout JSONReading
    ) -> (units: Units, currency: Currency)? {
        guard let raw = RawMoney.read(source, &reading) else { return nil }
        do throws(MoneyError) {
            return (try parse(raw.amount.bytes, exponent: raw.currency.exponent), raw.currency)
        } catch {
            switch error {
            case .overflow: reading.fail(.amountTooLarge, tooLarge, at: "/amount")
            case .malformed, .currencyMismatch:
                reading.fail(
                    .invalidAmount,
                    "must be a decimal with \(raw.currency.exponent) digits after the point",
                    at: "/amount"
                )
            }
            return nil
        }
    }

    static func write(
        _ minorUnits: some FixedWidthInteger & SignedInteger,
        _ currency: Currency,
        to writer: inout JSONWriter
    ) {
        writer.append(literal: #"{"amount":""#)
        writer.appendAmount(minorUnits, exponent: currency.exponent)
        writer.append(literal: #"","currency":""#)
        currency.appendText(to: &writer)
        writer.append(literal: #""}"#)
    }

    static func schema(
        _ components: inout SchemaComponents,
        described description: String,
        examples: [JSONTree]
    ) -> JSONTree {
        let amount: JSONTree = [
            "type": "string",
            "pattern": #"^-?(0|[1-9][0-9]*)(\.[0-9]{1,4})?$"#,
            "description": .string(description),
        ]
        let currency = Currency.schema(&components)
            .setting("description", "The ISO 4217 code.")
        return [
            "type": "object",
            "properties": ["amount": amount, "currency": currency],
            "required": ["amount", "currency"],
            "additionalProperties": false,
            "examples": .array(examples),
        ]
    }
}

/// Money before its amount is held against its currency.
private struct RawMoney: JSONObject {
    let amount: RawText
    let currency: Currency
    static let json = Object(
        { @Sendable in RawMoney(amount: $0, currency: $1) },
        Field("amount", \.amount),
        Field("currency", \.currency)
    )
}

/// The bytes of a string, without making one.
private struct RawText: JSONValue {
    let bytes: ArraySlice<UInt8>

    static func read(_ source: JSONSource, _ reading: inout JSONReading) -> RawText? {
        guard let bytes = source.stringBytes else {
            reading.fail(.wrongType, "must be a string, a decimal")
            return nil
        }
        return RawText(bytes: bytes)
    }

    func write(to writer: inout JSONWriter) {
        writer.append(String(decoding: bytes, as: UTF8.self))
    }

    static func schema(_ components: inout SchemaComponents) -> JSONTree { ["type": "string"] }
}
