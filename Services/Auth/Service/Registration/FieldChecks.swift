import Text
import WalletProtocol

/// The rules of single fields of a profile, for registrations and changes alike.
///
/// Every wrong field is named at once.
struct FieldChecks {
    /// What is wrong; the schema may have found some of it.
    private(set) var errors: [FieldError] = []
    /// Nobody alive was born before.
    private static let firstBirth = Day(year: 1_880, month: 1, day: 1)

    init(errors: [FieldError] = []) { self.errors = errors }

    func isWrong(_ pointer: String) -> Bool { errors.contains { $0.pointer == pointer } }

    /// Notes a field's first fault: what follows from it is not told.
    mutating func wrong(_ pointer: String, _ code: FieldCode, _ detail: String) {
        guard !isWrong(pointer) else { return }
        errors.append(FieldError(pointer: pointer, code: code, detail: detail))
    }

    /// - Throws: 422 where anything was wrong.
    func finish() throws(APIError) {
        guard errors.isEmpty else { throw APIError(.invalidBody, errors: errors) }
    }

    mutating func email(_ text: String) -> EmailAddress? {
        let email = EmailAddress(canonical: text)
        if email == nil { wrong("/email", .invalidEmail, "is no e-mail address") }
        return email
    }

    mutating func username(_ text: String) -> Username? {
        let username = Username(text)
        if username == nil {
            wrong(
                "/username",
                .invalidValue,
                "3 to 32 letters of one script, digits and . _ - are allowed"
            )
        }
        return username
    }

    /// A first or last name: others read it, so that nothing in it may turn what stands beside it.
    mutating func name(_ pointer: String, _ text: String?) -> String? {
        guard let text else { return nil }
        let name = TextFolding.composed(text)
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            // Both joiners are letters' own business in Persian, Hindi and others.
            scalar.properties.generalCategory != .format || scalar == "\u{200C}"
                || scalar == "\u{200D}"
        }
        if !isPlain {
            wrong(pointer, .invalidCharacter, "must not contain unseen characters")
        }
        return name
    }

    mutating func birth(_ day: Day?) {
        guard let day else { return }
        if day.startUTC > .now() {
            wrong("/dateOfBirth", .implausible, "lies in the future")
        } else if let first = Self.firstBirth, day < first {
            wrong("/dateOfBirth", .implausible, "lies too far back")
        }
    }

    mutating func language(_ text: String?) {
        if let text, !Self.isLanguage(text) || Languages.nearest(to: text) == nil {
            wrong("/language", .invalidValue, "must be a language of `GET /v1/languages`")
        }
    }

    mutating func area(_ text: String?) {
        if let text, !Self.isArea(text) {
            wrong("/area", .invalidValue, "is no region of ISO 3166")
        }
    }

    mutating func timeZone(_ text: String?) {
        if let text, !TimeZones.isKnown(text) {
            wrong("/timeZone", .invalidValue, "is no time zone of the IANA database")
        }
    }

    /// A phone and its proof; an administrator needs none, for the phone's owner is asked.
    mutating func phone(
        _ phone: String?,
        _ token: String?,
        keys: [[UInt8]],
        needsProof: Bool = true
    ) {
        guard let phone else {
            if token != nil { wrong("/phone", .required, "the phone that the token proves") }
            return
        }
        if !PhoneToken.isPhone(phone) {
            wrong("/phone", .invalidValue, "a phone in E.164 is needed")
        } else if let token {
            if !PhoneToken.proves(phone, token, keys: keys) {
                wrong("/phoneToken", .invalidValue, "does not prove this phone")
            }
        } else if needsProof {
            wrong("/phoneToken", .required, "the phone has to be proved")
        }
    }

    /// Whether a text has the shape of a language tag (RFC 5646, 2.1).
    static func isLanguage(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return text.utf8.count <= 35
            && parts.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy(isAlphanumeric) }
            && (2...8).contains(parts[0].count) && parts[0].allSatisfy { $0 > 0x40 }
    }

    /// Whether a text is a country of ISO 3166-1 (`CH`), or has the shape of a part of one
    /// (`CH-ZH`, ISO 3166-2).
    static func isArea(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count <= 2 && Regions.isCountry(parts[0])
            && parts.dropFirst().allSatisfy { part in
                (1...3).contains(part.utf8.count)
                    && part.utf8.allSatisfy { isAlphanumeric($0) && $0 < 0x5b }
            }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
            || (0x61...0x7a).contains(byte)
    }
}
