internal import CPango
internal import Glibc

// Safety: buffers are lent for one call; descriptors 0 and 1 are those that we were started with.

/// The process that sets statements and reports: frames from standard input, frames to standard
/// output.
public enum Typesetter {
    /// The argument by which the executable is told to be this process.
    public static let argument = "typeset"

    static let memoryBytesMax: UInt = 2 << 30
    static let processorSecondsMax: UInt = 120

    /// Sets one document and ends.
    public static func serve() -> Never {
        guard
            ezwallet_pdf_confine(rlim_t(memoryBytesMax), rlim_t(processorSecondsMax)) == 0
        else { exit(70) }
        var pages: StatementPages?
        do {
            while let (kind, content) = readFrame() {
                switch kind {
                case .title:
                    guard let title = PrintedTitle(texts: DocumentFrame.texts(content)) else {
                        exit(65)
                    }
                    pages = try StatementPages(title)
                case .rows:
                    guard let pages else { exit(65) }
                    let texts = DocumentFrame.texts(content)
                    for at in stride(from: 0, to: texts.count, by: PrintedLine.fields) {
                        guard at + PrintedLine.fields <= texts.count else { exit(65) }
                        try pages.add(PrintedLine(texts: texts[at..<at + PrintedLine.fields]))
                    }
                case .end: try pages?.end()
                case .report:
                    var texts = DocumentFrame.texts(content)
                    guard let type = texts.popLast().flatMap(DocumentType.init(rawValue:)),
                        let report = PrintedReport(texts: texts)
                    else { exit(65) }
                    send(try ReportPages.set(report, as: type))
                    exit(0)
                case .bytes, .ready: exit(65)
                }
                send(pages?.takeOutput() ?? [])
                if kind == .end { exit(0) }
            }
        } catch {
            exit(70)
        }
        exit(66)
    }

    private static func send(_ bytes: [UInt8]) {
        var at = 0
        while at < bytes.count {
            let end = min(at + 65_536, bytes.count)
            write(DocumentFrame.make(.bytes, Array(bytes[at..<end])))
            at = end
        }
        write(DocumentFrame.make(.ready))
    }

    private static func readFrame() -> (DocumentFrame.Kind, [UInt8])? {
        guard let head = read(5), let kind = DocumentFrame.Kind(rawValue: head[4]) else {
            return nil
        }
        let count = DocumentFrame.number(head[..<4])
        guard count <= DocumentFrame.bytesMax, let content = read(count) else { return nil }
        return (kind, content)
    }

    private static func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var at = 0
        while at < count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(0, buffer.baseAddress.map { unsafe $0 + at }, count - at)
            }
            guard got > 0 else { return nil }
            at += got
        }
        return bytes
    }

    private static func write(_ bytes: [UInt8]) {
        var at = 0
        while at < bytes.count {
            let sent = unsafe bytes[at...].withUnsafeBytes { rest in
                unsafe Glibc.write(1, rest.baseAddress, rest.count)
            }
            guard sent > 0 else { exit(74) }
            at += sent
        }
    }
}
