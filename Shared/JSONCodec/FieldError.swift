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

/// What can be wrong with a field.
///
/// Append only: clients branch on these codes.
public struct FieldCode: Hashable, Sendable {
    /// The code in kebab-case.
    public let text: String
    /// The meaning, as one sentence for the OpenAPI document.
    public let meaning: String

    /// A code in kebab-case.
    public init(_ text: String, _ meaning: String = "") {
        self.text = text
        self.meaning = meaning
    }

    /// By code.
    public static func == (left: FieldCode, right: FieldCode) -> Bool { left.text == right.text }
    /// By code.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// The field is missing.
    public static let required = FieldCode("required", "The field is missing.")
    /// The object or call has no such field or parameter.
    public static let unknownField = FieldCode(
        "unknown-field",
        "The object or call has no such field or parameter."
    )
    /// The value has another JSON type.
    public static let wrongType = FieldCode("wrong-type", "The value has another JSON type.")
    /// `null` was sent for a field that cannot be cleared.
    public static let notClearable = FieldCode(
        "not-clearable",
        "`null` was sent for a field that cannot be cleared."
    )
    /// The value does not have the required form.
    public static let invalidValue = FieldCode(
        "invalid-value",
        "The value does not have the required form."
    )
    /// The value is not one of the allowed values.
    public static let unknownValue = FieldCode(
        "unknown-value",
        "The value is not one of the allowed values."
    )
    /// The value is outside its range.
    public static let outOfRange = FieldCode("out-of-range", "The value is outside its range.")
    /// A whole number is required.
    public static let notWhole = FieldCode("not-whole", "A whole number is required.")
    /// The text has too few characters.
    public static let tooShort = FieldCode("too-short", "The text has too few characters.")
    /// The text has too many characters.
    public static let tooLong = FieldCode("too-long", "The text has too many characters.")
    /// The text has only white space.
    public static let blank = FieldCode("blank", "The text has only white space.")
    /// The text has a character that is not allowed.
    public static let invalidCharacter = FieldCode(
        "invalid-character",
        "The text has a character that is not allowed."
    )
    /// The list has too few elements.
    public static let tooFew = FieldCode("too-few", "The list has too few elements.")
    /// The list has too many elements.
    public static let tooMany = FieldCode("too-many", "The list has too many elements.")
    /// The value occurs twice.
    public static let duplicate = FieldCode("duplicate", "The value occurs twice.")
    /// The value is not a UUID.
    public static let invalidID = FieldCode("invalid-id", "The value is not a UUID.")
    /// The value is not a day.
    public static let invalidDay = FieldCode("invalid-day", "The value is not a day.")
    /// The value is not a month.
    public static let invalidMonth = FieldCode("invalid-month", "The value is not a month.")
    /// The value is not an instant.
    public static let invalidInstant = FieldCode("invalid-instant", "The value is not an instant.")
    /// The text is not an amount of its currency.
    public static let invalidAmount = FieldCode(
        "invalid-amount",
        "The text is not an amount of its currency."
    )
    /// The text is not a decimal number.
    public static let invalidDecimal = FieldCode(
        "invalid-decimal",
        "The text is not a decimal number."
    )
    /// The code is not a currency of ISO 4217.
    public static let unknownCurrency = FieldCode(
        "unknown-currency",
        "The code is not a currency of ISO 4217."
    )
    /// Another currency is required here.
    public static let currencyMismatch = FieldCode(
        "currency-mismatch",
        "Another currency is required here."
    )
    /// The value must be above zero.
    public static let notPositive = FieldCode("not-positive", "The value must be above zero.")
    /// The value must not be below zero.
    public static let negative = FieldCode("negative", "The value must not be below zero.")
    /// The amount is larger than any amount may be.
    public static let amountTooLarge = FieldCode(
        "amount-too-large",
        "The amount is larger than any amount may be."
    )
    /// The identifier names something that does not exist or that you may not use.
    public static let unknownReference = FieldCode(
        "unknown-reference",
        "The identifier names something that does not exist or that you may not use."
    )
    /// The cursor does not come from this list.
    public static let invalidCursor = FieldCode(
        "invalid-cursor",
        "The cursor does not come from this list."
    )
    /// The text is not an e-mail address that can receive mail.
    public static let invalidEmail = FieldCode(
        "invalid-email",
        "The text is not an e-mail address that can receive mail."
    )
    /// The password is too easy to guess.
    public static let weakPassword = FieldCode(
        "weak-password",
        "The password is too easy to guess."
    )
    /// Two fields that must be equal differ.
    public static let differs = FieldCode("differs", "Two fields that must be equal differ.")
    /// The password is not the password of the account.
    public static let wrongPassword = FieldCode(
        "wrong-password",
        "The password is not the password of the account."
    )
    /// The field is not allowed together with another field.
    public static let conflict = FieldCode(
        "conflict",
        "The field is not allowed together with another field."
    )
    /// The parts do not sum to the whole.
    public static let sumMismatch = FieldCode("sum-mismatch", "The parts do not sum to the whole.")
    /// The time is in the future, or otherwise cannot be right.
    public static let implausible = FieldCode(
        "implausible",
        "The time is in the future, or otherwise cannot be right."
    )

    /// The element is valid by itself and is refused with the whole batch.
    public static let refused = FieldCode(
        "refused",
        "The element is valid by itself and is refused with the whole batch."
    )

    /// Every code above, in their order.
    public static let all: [FieldCode] = [
        .required, .unknownField, .wrongType, .notClearable, .invalidValue, .unknownValue,
        .outOfRange, .notWhole, .tooShort, .tooLong, .blank, .invalidCharacter, .tooFew, .tooMany,
        .duplicate, .invalidID, .invalidDay, .invalidMonth, .invalidInstant, .invalidAmount,
        .invalidDecimal, .unknownCurrency, .currencyMismatch, .notPositive, .negative,
        .amountTooLarge, .unknownReference, .invalidCursor, .invalidEmail, .weakPassword,
        .differs, .wrongPassword, .conflict, .sumMismatch, .implausible, .refused,
    ]
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
