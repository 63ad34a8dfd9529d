/// One bad field of a request.
public struct FieldError: Hashable, Sendable {
    /// Where: a JSON pointer (RFC 6901) into the body, `query:name` or `header:name`.
    public private(set) var pointer: String
    /// What is wrong, for machines.
    public let code: FieldCode
    /// What is wrong, for people.
    public let detail: String

    /// A bad field.
    public init(pointer: String, code: FieldCode, detail: String) {
        self.pointer = FieldError.readable(pointer)
        self.code = code
        self.detail = detail
    }

    /// No text of ours has U+0000, nor is one read: a pointer to a name that has it shows another.
    private static func readable(_ name: String) -> String {
        guard name.utf8.contains(0) else { return name }
        return String(name.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : Character($0) })
    }

    mutating func prefix(_ step: String) {
        var escaped = "/"
        for character in FieldError.readable(step).unicodeScalars {
            switch character {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(character)
            }
        }
        pointer = escaped + pointer
    }
}

extension FieldError: JSONObject {
    /// As it stands in a problem.
    public static let json = Object(
        { @Sendable in FieldError(pointer: $0, code: $1, detail: $2) },
        Field(
            "pointer",
            \.pointer,
            about: "Where: a JSON pointer (RFC 6901) into the body, `query:name` or `header:name`."
        ),
        Field("code", \.code, about: "What is wrong, for machines."),
        Field("detail", \.detail, about: "What is wrong, for people.")
    )
}

/// What can be wrong with a field: append only, for clients decide by it.
///
/// A service may have its own: `extension FieldCode { static let … }`.
public struct FieldCode: Hashable, Sendable {
    /// The code in kebab-case.
    public let text: String

    /// A code in kebab-case.
    public init(_ text: String) {
        self.text = text
    }

    /// Not there.
    public static let required = FieldCode("required")
    /// Not a field of this object, or not a parameter of this call.
    public static let unknownField = FieldCode("unknown-field")
    /// Another JSON type.
    public static let wrongType = FieldCode("wrong-type")
    /// `null` for what cannot be cleared.
    public static let notClearable = FieldCode("not-clearable")
    /// Not of the form that is needed.
    public static let invalidValue = FieldCode("invalid-value")
    /// Not one of the allowed words.
    public static let unknownValue = FieldCode("unknown-value")
    /// Outside its range.
    public static let outOfRange = FieldCode("out-of-range")
    /// A fraction where a whole number is needed.
    public static let notWhole = FieldCode("not-whole")
    /// Too few characters.
    public static let tooShort = FieldCode("too-short")
    /// Too many characters.
    public static let tooLong = FieldCode("too-long")
    /// Nothing but white space.
    public static let blank = FieldCode("blank")
    /// A character that is not allowed, U+0000 among them.
    public static let invalidCharacter = FieldCode("invalid-character")
    /// Too few elements.
    public static let tooFew = FieldCode("too-few")
    /// Too many elements.
    public static let tooMany = FieldCode("too-many")
    /// The same thing twice.
    public static let duplicate = FieldCode("duplicate")
    /// Not a UUID.
    public static let invalidID = FieldCode("invalid-id")
    /// Not a day.
    public static let invalidDay = FieldCode("invalid-day")
    /// Not a month.
    public static let invalidMonth = FieldCode("invalid-month")
    /// Not an instant.
    public static let invalidInstant = FieldCode("invalid-instant")
    /// Not an amount of its currency.
    public static let invalidAmount = FieldCode("invalid-amount")
    /// Not a decimal number.
    public static let invalidDecimal = FieldCode("invalid-decimal")
    /// Not a currency of ISO 4217.
    public static let unknownCurrency = FieldCode("unknown-currency")
    /// Not the currency that is needed here.
    public static let currencyMismatch = FieldCode("currency-mismatch")
    /// Not above zero.
    public static let notPositive = FieldCode("not-positive")
    /// Below zero.
    public static let negative = FieldCode("negative")
    /// More than an amount may be.
    public static let amountTooLarge = FieldCode("amount-too-large")
    /// Names something that is absent or not the caller's.
    public static let unknownReference = FieldCode("unknown-reference")
    /// Not a cursor that this list gave out.
    public static let invalidCursor = FieldCode("invalid-cursor")
    /// Not an e-mail address, or one that no mail can reach.
    public static let invalidEmail = FieldCode("invalid-email")
    /// Too easy to guess.
    public static let weakPassword = FieldCode("weak-password")
    /// Two fields that must be the same are not.
    public static let differs = FieldCode("differs")
    /// Not a password of the account.
    public static let wrongPassword = FieldCode("wrong-password")
    /// Not possible beside another field.
    public static let conflict = FieldCode("conflict")
    /// Parts that do not make up their whole.
    public static let sumMismatch = FieldCode("sum-mismatch")
    /// In the future, or otherwise a time that cannot be.
    public static let implausible = FieldCode("implausible")
}

extension FieldCode: JSONValue, TextValue {
    /// Any code.
    public static func parse(_ text: ArraySlice<UInt8>) -> FieldCode? {
        FieldCode(String(decoding: text, as: UTF8.self))
    }
    /// The code.
    public func appendText(to writer: inout JSONWriter) { writer.append(raw: text.utf8) }
    /// A code.
    public static var expectation: String { "a code in kebab-case" }
    /// `invalid-value`.
    public static var fault: FieldCode { .invalidValue }
    /// A string.
    public static func schema(_ components: inout SchemaComponents) -> JSONTree {
        ["type": "string", "pattern": "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"]
    }
}
