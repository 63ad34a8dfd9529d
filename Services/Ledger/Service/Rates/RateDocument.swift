import WalletProtocol
import XML

/// Why an answer of the provider is not what it should be.
enum RateDocumentError: Error, Hashable, Sendable {
    /// Neither XML nor an archive.
    case unknownFormat
    /// Not well formed, or with a DOCTYPE.
    case malformed(line: Int)
    /// A day that is none, or comes twice.
    case day(String)
    /// A figure that is none, zero, below, or with too many digits.
    case figure(day: Day, currency: String)
    /// No day at all.
    case empty
}

/// What the bank publishes, in whichever of its forms.
enum RateDocument {
    /// More days than there will be.
    static let daysMax = 40_000
    /// More figures a day than there are currencies.
    static let currenciesMax = 300

    /// The days, ascending; currencies that ISO 4217 no longer has are left out.
    static func read(_ bytes: [UInt8], publisher: String) throws -> [DayRates] {
        if bytes.starts(with: [0x50, 0x4B]) {
            guard let before = Day(year: 1, month: 1, day: 1) else { throw RateDocumentError.empty }
            return try RateHistory(archive: bytes).rows(after: before).map { row in
                DayRates(day: row.day, rates: row.rates, publisher: publisher)
            }
        }
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard bytes[start...].first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else {
            throw RateDocumentError.unknownFormat
        }
        var reader = RateXML()
        return try reader.read(bytes, publisher: publisher)
    }
}

/// Reads `<Cube time="2026-11-20"><Cube currency="USD" rate="1.0525"/>…</Cube>`.
private struct RateXML {
    private var days: [Day: [Currency: PublishedRate]] = [:]
    private var day: Day?

    /// Of the document, that are read at once: events of the whole would be many.
    private static let pieceBytes = 65_536

    mutating func read(
        _ bytes: [UInt8],
        publisher: String
    ) throws(RateDocumentError) -> [DayRates] {
        let names: Set<String> = ["time", "currency", "rate"]
        let xml = XMLEvents(isUTF8: false, textBytesMax: 0, isWanted: { names.contains($0) })
        guard let xml else { throw .malformed(line: 0) }
        var start = 0
        repeat {
            let end = min(start + Self.pieceBytes, bytes.count)
            let events: [XMLEvent]
            do throws(XMLError) {
                events = try xml.feed(bytes[start..<end], isLast: end == bytes.count)
            } catch {
                throw .malformed(line: error.line)
            }
            for event in events {
                guard case .open("Cube", let attributes) = event.kind else { continue }
                try take(attributes, event.line)
            }
            start = end
        } while start < bytes.count
        let rows = days.filter { !$0.value.isEmpty }
        guard !rows.isEmpty else { throw .empty }
        return rows.map { DayRates(day: $0.key, rates: $0.value, publisher: publisher) }
            .sorted { $0.day < $1.day }
    }

    private mutating func take(
        _ attributes: [(name: String, value: String)],
        _ line: Int
    ) throws(RateDocumentError) {
        func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
        if let time = value("time") {
            guard let day = Day(time), days[day] == nil, days.count < RateDocument.daysMax else {
                throw .day(String(time.prefix(40)))
            }
            days[day] = [:]
            self.day = day
        }
        guard let code = value("currency"), let text = value("rate") else { return }
        guard let day, let known = days[day], known.count < RateDocument.currenciesMax else {
            throw .malformed(line: line)
        }
        guard let rate = PublishedRate(published: text), code.utf8.count == 3 else {
            throw .figure(day: day, currency: String(code.prefix(10)))
        }
        guard let currency = Currency(code) else { return }
        guard known[currency] == nil, currency != .eur else {
            throw .figure(day: day, currency: code)
        }
        days[day]?[currency] = rate
    }
}

extension PublishedRate {
    /// The rate written with digits and at most one point among them; nil for anything else, zero
    /// and too many digits.
    init?(published text: String) {
        var mantissa: UInt64 = 0
        var (digits, scale) = (0, 0)
        var hasPoint = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "."), !hasPoint, digits > 0 {
                hasPoint = true
                continue
            }
            // Wraps: what stands before the digits comes out above them.
            let digit = byte &- 0x30
            guard digit < 10, digits < Self.digitsMax else { return nil }
            mantissa = mantissa * 10 + UInt64(digit)
            digits += 1
            if hasPoint { scale += 1 }
        }
        guard mantissa > 0, scale <= Self.scaleMax, !hasPoint || scale > 0 else { return nil }
        self.init(mantissa: mantissa, scale: scale)
    }
}
