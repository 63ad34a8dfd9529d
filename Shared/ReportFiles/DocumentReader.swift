internal import Text
package import WalletProtocol

/// Who a document is made for.
package struct DocumentReader: Sendable {
    /// BCP 47.
    package let language: String
    /// Of the IANA database: which day it is.
    package let timeZone: String
    /// How they write days, such as `dd/MM/yyyy`; empty: as the language does.
    package let datePattern: String

    package init(language: String, timeZone: String, dateFormat: DateFormat? = nil) {
        self.language = language
        self.timeZone = timeZone
        datePattern = dateFormat?.rawValue ?? ""
    }

    /// The day that it is for them at an instant; that of UTC where their zone is unknown.
    package func day(of instant: Instant) -> String {
        let parts = TimeZones.civilDay(ofMicroseconds: instant.microseconds, in: timeZone)
        let day = parts.flatMap { Day(year: $0.year, month: $0.month, day: $0.day) }
        return day?.text ?? String(instant.text.prefix(10))
    }
}
