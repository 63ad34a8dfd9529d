import CExpat
import WalletProtocol

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
        return try RateXML().read(bytes, publisher: publisher)
    }
}

/// Reads `<Cube time="2026-11-20"><Cube currency="USD" rate="1.0525"/>…</Cube>`.
///
/// A DOCTYPE is refused, so that there are no entities but the predefined ones, and nothing from
/// outside.
///
/// Safety: expat calls back within `read` alone, on the same thread, with the pointer to this
/// object, which lives as long as the parser that it frees. Names and attributes (a list ended by a
/// null) are copied before a call-back returns.
@safe private final class RateXML {
    private let parser: XML_Parser
    private var days: [Day: [Currency: PublishedRate]] = [:]
    private var day: Day?
    private var fault: RateDocumentError?

    init() throws(RateDocumentError) {
        guard let parser = unsafe XML_ParserCreate(nil) else { throw .malformed(line: 0) }
        unsafe self.parser = parser
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetStartElementHandler(parser, opened)
        unsafe XML_SetStartDoctypeDeclHandler(parser, declared)
    }

    deinit { unsafe XML_ParserFree(parser) }

    func read(
        _ bytes: [UInt8],
        publisher: String
    ) throws(RateDocumentError) -> [DayRates] {
        let status = unsafe bytes.withUnsafeBytes { bytes in
            unsafe XML_Parse(
                parser,
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(bytes.count),
                1
            )
        }
        if let fault { throw fault }
        guard status != XML_STATUS_ERROR else { throw .malformed(line: line) }
        let rows = days.filter { !$0.value.isEmpty }
        guard !rows.isEmpty else { throw .empty }
        return rows.map { DayRates(day: $0.key, rates: $0.value, publisher: publisher) }
            .sorted { $0.day < $1.day }
    }

    private var line: Int { unsafe Int(XML_GetCurrentLineNumber(parser)) }

    fileprivate func stop(_ reason: RateDocumentError? = nil) {
        fault = fault ?? reason ?? .malformed(line: line)
        unsafe _ = XML_StopParser(parser, 0)
    }

    fileprivate func open(_ attributes: [String: String]) {
        guard fault == nil else { return }
        if let time = attributes["time"] {
            guard let day = Day(time), days[day] == nil, days.count < RateDocument.daysMax else {
                return stop(.day(String(time.prefix(40))))
            }
            days[day] = [:]
            self.day = day
        }
        guard let code = attributes["currency"], let text = attributes["rate"] else { return }
        guard let day, let known = days[day], known.count < RateDocument.currenciesMax else {
            return stop()
        }
        guard let rate = PublishedRate(published: text), code.utf8.count == 3 else {
            return stop(.figure(day: day, currency: String(code.prefix(10))))
        }
        guard let currency = Currency(code) else { return }
        guard known[currency] == nil, currency != .eur else {
            return stop(.figure(day: day, currency: code))
        }
        days[day]?[currency] = rate
    }
}

private func opened(
    _ context: UnsafeMutableRawPointer?,
    _ name: UnsafePointer<CChar>?,
    _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) {
    guard let context = unsafe context, let name = unsafe name else { return }
    let whole = unsafe String(cString: name)
    guard whole == "Cube" || whole.hasSuffix(":Cube") else { return }
    var found: [String: String] = [:]
    var at = 0
    while let attributes = unsafe attributes, let name = unsafe attributes[at],
        let value = unsafe attributes[at + 1]
    {
        found[unsafe String(cString: name)] = unsafe String(cString: value)
        at += 2
    }
    unsafe Unmanaged<RateXML>.fromOpaque(context).takeUnretainedValue().open(found)
}

private func declared(
    _ context: UnsafeMutableRawPointer?,
    _: UnsafePointer<CChar>?,
    _: UnsafePointer<CChar>?,
    _: UnsafePointer<CChar>?,
    _: Int32
) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<RateXML>.fromOpaque(context).takeUnretainedValue().stop()
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
