import CExpat
internal import Glibc

/// What comes of an XML document, in its order.
package struct XMLEvent {
    /// What it is; names are without their prefix.
    package enum Kind {
        /// A start tag, with the attributes that were asked for.
        case open(String, [(name: String, value: String)])
        /// What stands before the next tag.
        case text(String)
        /// An end tag.
        case close(String)
    }

    package let kind: Kind
    /// Where it begins, from 1.
    package let line: Int
}

/// Why nothing more of a document is read.
package struct XMLError: Error, Hashable {
    /// Where, from 1.
    package let line: Int
    /// The reason, to be shown to the user.
    package let detail: String
}

/// Reads XML in pieces, as expat does: a document's size is no matter.
///
/// A DOCTYPE is refused, so that there are no entities but the predefined ones, and nothing from
/// outside.
///
/// Safety: expat calls back within `feed` alone, on the same thread, with the pointer to this
/// object, which lives as long as the parser that it frees. Names, texts and the list of attributes
/// (ended by a null) are copied before a call-back returns.
@safe package final class XMLEvents {
    private let parser: XML_Parser
    fileprivate var events: [XMLEvent] = []
    /// What stands since the last tag: expat tells it in pieces, one for each line and entity.
    private var text: [UInt8] = []
    private var textLine = 0
    /// Why nothing more is read.
    private var refusal: String?
    /// How many elements are open.
    fileprivate var depth = 0
    /// What was fed since the last piece that brought a tag or a text.
    private var stillBytes = 0
    private let textBytesMax: Int
    fileprivate let isWanted: (String) -> Bool

    /// Of an element's name; those that are written for a use are far shorter.
    package static let nameBytesMax = 256
    /// Elements in each other: expat keeps each open one, however small the file.
    package static let depthMax = 256
    /// Of a comment, an instruction or a tag: expat goes over all of one again with each piece.
    package static let tokenBytesMax = 1 << 20

    /// Reads what the document says that it is written in; with `isUTF8` that, whatever it says.
    ///
    /// Of a text no more is kept than `textBytesMax` bytes and the piece that passes them; of
    /// attributes those whose name `isWanted`. Nil where no memory is left.
    package init?(
        isUTF8: Bool,
        textBytesMax: Int,
        isWanted: @escaping (_ attribute: String) -> Bool
    ) {
        let created = unsafe isUTF8 ? XML_ParserCreate("UTF-8") : XML_ParserCreate(nil)
        guard let parser = unsafe created else { return nil }
        unsafe self.parser = parser
        self.textBytesMax = textBytesMax
        self.isWanted = isWanted
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(parser, opened, closed)
        unsafe XML_SetCharacterDataHandler(parser, said)
        unsafe XML_SetStartDoctypeDeclHandler(parser, declared)
    }

    deinit { unsafe XML_ParserFree(parser) }

    /// What a further piece brings.
    /// - Throws: Where the document is not well formed, has a DOCTYPE or is beyond the bounds.
    package func feed(
        _ bytes: ArraySlice<UInt8>,
        isLast: Bool
    ) throws(XMLError) -> [XMLEvent] {
        events.removeAll(keepingCapacity: true)
        stillBytes += bytes.count
        let status = unsafe bytes.withUnsafeBytes { bytes in
            unsafe XML_Parse(
                parser,
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                Int32(bytes.count),
                isLast ? 1 : 0
            )
        }
        guard status != XML_STATUS_ERROR else {
            if let refusal { throw XMLError(line: line, detail: refusal) }
            let code = unsafe XML_GetErrorCode(parser)
            let words = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) }
            throw XMLError(line: line, detail: "the XML is broken: \(words ?? "unknown error")")
        }
        guard isLast || stillBytes <= Self.tokenBytesMax else {
            throw XMLError(line: line, detail: "a comment or a tag is longer than 1 MiB")
        }
        endText()
        return events
    }

    fileprivate func say(_ piece: UnsafeRawBufferPointer) {
        stillBytes = 0
        if text.isEmpty { textLine = line }
        guard text.count < textBytesMax else { return }
        unsafe text.append(contentsOf: piece)
    }

    private func endText() {
        guard !text.isEmpty else { return }
        events.append(XMLEvent(kind: .text(String(decoding: text, as: UTF8.self)), line: textLine))
        text.removeAll(keepingCapacity: true)
    }

    fileprivate func tell(_ kind: XMLEvent.Kind) {
        stillBytes = 0
        endText()
        events.append(XMLEvent(kind: kind, line: line))
    }

    fileprivate var line: Int { unsafe Int(XML_GetCurrentLineNumber(parser)) }

    fileprivate func stop(_ reason: String) {
        refusal = refusal ?? reason
        unsafe _ = XML_StopParser(parser, 0)
    }
}

private func reader(_ context: UnsafeMutableRawPointer?) -> XMLEvents? {
    unsafe context.map { unsafe Unmanaged<XMLEvents>.fromOpaque($0).takeUnretainedValue() }
}

private func localName(_ name: UnsafePointer<CChar>?) -> String {
    guard let name = unsafe name else { return "" }
    let whole = unsafe String(cString: name)
    guard let colon = whole.utf8.lastIndex(of: UInt8(ascii: ":")) else { return whole }
    return String(whole[whole.utf8.index(after: colon)...])
}

private func opened(
    _ context: UnsafeMutableRawPointer?,
    _ name: UnsafePointer<CChar>?,
    _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
) {
    guard let reader = unsafe reader(context), let name = unsafe name else { return }
    guard unsafe strnlen(name, XMLEvents.nameBytesMax + 1) <= XMLEvents.nameBytesMax else {
        return reader.stop("the name of an element is longer than 256 bytes")
    }
    reader.depth += 1
    guard reader.depth <= XMLEvents.depthMax else {
        return reader.stop("the elements nest too deep")
    }
    var kept: [(name: String, value: String)] = []
    var at = 0
    while let attributes = unsafe attributes, let name = unsafe attributes[at],
        let value = unsafe attributes[at + 1]
    {
        let written = unsafe String(cString: name)
        if reader.isWanted(written) {
            kept.append((written, unsafe String(cString: value)))
        }
        at += 2
    }
    reader.tell(.open(unsafe localName(name), kept))
}

private func closed(_ context: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?) {
    guard let reader = unsafe reader(context) else { return }
    reader.depth -= 1
    reader.tell(.close(unsafe localName(name)))
}

private func said(
    _ context: UnsafeMutableRawPointer?,
    _ text: UnsafePointer<CChar>?,
    _ count: Int32
) {
    guard let reader = unsafe reader(context), let text = unsafe text else { return }
    unsafe reader.say(UnsafeRawBufferPointer(start: text, count: Int(count)))
}

private func declared(
    _ context: UnsafeMutableRawPointer?,
    _ name: UnsafePointer<CChar>?,
    _ system: UnsafePointer<CChar>?,
    _ public: UnsafePointer<CChar>?,
    _ hasSubset: Int32
) {
    guard let reader = unsafe reader(context) else { return }
    reader.stop("a DOCTYPE is not taken")
}
