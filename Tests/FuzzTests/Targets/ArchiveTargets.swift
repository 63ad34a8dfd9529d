import Archives
import Pictures
import WalletProtocol
import XML

extension FuzzTarget {
    static let archives = [
        FuzzTarget(
            "archives",
            words: ["PK\u{1}\u{2}", "PK\u{3}\u{4}", "PK\u{5}\u{6}", "\u{1F}"],
            growths: [
                Growth("PK\u{5}\u{6}"), Growth("PK\u{1}\u{2}"),
                Growth("a ZIP of zeros") { zipped([("a", [UInt8](repeating: 0, count: $0))]) },
                Growth("a ZIP of many files") { bytes in
                    zipped((0..<min(900, bytes / 100 + 1)).map { ("\($0)", [1]) })
                },
                Growth("gzip members") { bytes in
                    [[UInt8]](repeating: gzip, count: bytes / gzip.count).flatMap(\.self)
                },
            ],
            seeds: {
                [
                    zipped([("a", Array("text".utf8))]), zipped([("a/b", []), ("c", [1, 2])]),
                    zipped([("a", [UInt8](repeating: 0, count: 5_000))]), gzip, gzip + gzip,
                    zipped([("a.zip", zipped([("b", [1])]))]),
                ]
            },
            check: { try archive($0) }
        ),
        FuzzTarget(
            "workbooks",
            words: [
                "<row r=\"1\">", "</row>", "<c r=\"A1\" t=\"s\">", "<v>", "</v>", "</c>", "<is><t>",
                "1E+300", "1E-300", "r=\"ZZZ1048577\"", "<si>", "</si>", "45292.5", "\u{0}",
                "s=\"9\"",
            ],
            growths: [
                Growth(sheet, "<row></row>"), Growth(sheet, "<row><c><v>1</v></c></row>"),
                Growth(sheet + "<row>", "<c><v>1</v></c>"), Growth(sheet + "<row><c><v>", "1"),
                Growth(sheet + "<row><c><v>1E", "1"), Growth(sheet + "<row><c><v>0.", "0"),
                Growth(sheet + "<row><c r=\"", "A", "1\"><v>1</v></c></row>"),
                Growth(sheet + "\u{0}<sst>", "<si><t>a</t></si>", "</sst>"),
                Growth(sheet + "\u{0}<sst/>\u{0}<styleSheet><cellXfs>", "<xf numFmtId=\"14\"/>"),
            ],
            seeds: {
                [
                    sheet
                        + "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c>"
                        + "<c r=\"B1\" t=\"inlineStr\">"
                        + "<is><t>Amount</t></is></c></row><row r=\"3\">"
                        + "<c r=\"A3\" s=\"1\"><v>45292"
                        + "</v></c><c r=\"B3\"><v>-1234.5600000000002</v></c></row></sheetData>"
                        + "</worksheet>\u{0}<sst><si><t>Date</t></si></sst>\u{0}<styleSheet>"
                        + "<cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs>"
                        + "</styleSheet>",
                    sheet + "<row><c t=\"str\"><f>x</f><v>Pub</v></c><c t=\"b\"><v>1</v></c></row>",
                ].map { Array($0.utf8) }
            },
            check: { try statement(workbook($0), nil) }
        ),
        FuzzTarget(
            "xml",
            words: [
                "<a>", "</a>", "<a b=\"c\"/>", "<!--", "-->", "<![CDATA[", "]]>", "&amp;", "&#0;",
                "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "<!DOCTYPE a>", "&#x10FFFF;",
                "xmlns=",
            ],
            growths: [
                Growth(" <a>", "<b/>"), Growth(" ", "<a>"), Growth(" <a ", numbered: "b", "=\"\" "),
                Growth(" <a>", "&amp;"), Growth(" <a>", "\n"), Growth(" <a><!--", "-"),
                Growth(" <a b=\"", "&#10;", "\"/>"), Growth(" <a b=\"", "c"), Growth(" <", "a"),
                Growth(" <a>", "<![CDATA[x]]>"), Growth(" <a>", "<?b c?>"), Growth(" <a>", "]"),
            ],
            seeds: {
                [
                    " <?xml version=\"1.0\"?><a b='1'>x<c:d xmlns:c=\"u\">&lt;</c:d><!-- y --></a>",
                    "9<a>é<![CDATA[<b>]]></a>", "@<?xml version='1.0' encoding='latin1'?><a/>",
                ].map { Array($0.utf8) }
            },
            check: { try xml($0) }
        ),
        FuzzTarget(
            "pictures",
            words: [
                "IHDR", "eXIf", "Exif\0\0", "II*\0", "MM\0*", "VP8X", "VP8L", "VP8 ", "RIFF",
                "WEBP",
            ],
            growths: [
                Growth("JPEG segments") { jpeg + repeated([0xFF, 0xFE, 0, 2], $0) },
                Growth("JPEG fill") { jpeg + repeated([0xFF], $0) },
                Growth("JPEG Exif") {
                    jpeg + repeated([0xFF, 0xE1] + big(2 + exif.count) + exif, $0)
                },
                Growth("PNG chunks") {
                    png + repeated([0, 0, 0, 0, 65, 65, 65, 65, 0, 0, 0, 0], $0)
                },
                Growth("PNG eXIf") {
                    png + repeated([0, 0, 0, 8, 101, 88, 73, 102] + tiff + [0, 0, 0, 0], $0)
                },
                Growth("WebP chunks") { webp + repeated(Array("EXIF".utf8) + [0, 0, 0, 0], $0) },
            ],
            seeds: {
                [
                    png + [0, 0, 0, 26, 101, 88, 73, 102] + turned + [0, 0, 0, 0],
                    jpeg + [0xFF, 0xE1] + big(8 + turned.count) + Array("Exif\0\0".utf8) + turned
                        + [0xFF, 0xC0, 0, 11, 8, 0, 9, 0, 8, 1, 1, 0x11, 0],
                    webp + Array("EXIF".utf8) + [26, 0, 0, 0] + turned,
                    Array("RIFF".utf8) + [22, 0, 0, 0] + Array("WEBPVP8L".utf8) + [
                        10, 0, 0, 0, 0x2F,
                    ]
                        + [UInt8](repeating: 1, count: 12),
                ]
            },
            check: { bytes in
                guard let header = PictureHeader(bytes) else { return }
                try hold(header.width >= 0 && header.height >= 0, "a side below nothing")
                try hold((1...8).contains(header.orientation), "turned in a ninth way")
                try hold(
                    !header.isModest || header.width * header.height <= PictureHeader.pixelsMax,
                    "a modest picture that is too large"
                )
            }
        ),
    ]

    // MARK: Seeds

    /// «a» as gzip writes it.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x4B, 4, 0, 0x43, 0xBE, 0xB7, 0xE8, 1, 0, 0, 0,
    ]
    private static let sheet = "<worksheet><sheetData>"
    private static let jpeg: [UInt8] = [0xFF, 0xD8]
    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 0, 8, 0, 0, 0, 9, 8, 2, 0, 0, 0, 1, 2, 3, 4]
    private static let webp: [UInt8] =
        Array("RIFF".utf8) + [22, 0, 0, 0] + Array("WEBPVP8X".utf8)
        + [10, 0, 0, 0, 8, 0, 0, 0, 7, 0, 0, 8, 0, 0]
    private static let tiff: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8]
    private static let exif: [UInt8] = Array("Exif\0\0".utf8) + tiff
    private static let turned: [UInt8] =
        tiff + [0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]

    private static func repeated(_ piece: [UInt8], _ bytes: Int) -> [UInt8] {
        [[UInt8]](repeating: piece, count: max(1, bytes / piece.count)).flatMap(\.self)
    }

    private static func big(_ number: Int) -> [UInt8] {
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    /// Sheet, strings and styles, parted by zeros, in their places.
    private static func workbook(_ bytes: [UInt8]) -> [UInt8] {
        let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        var files: [(name: String, bytes: [UInt8])] = [
            (
                "xl/workbook.xml",
                Array(
                    "<workbook xmlns:r=\"r\"><sheets><sheet r:id=\"a\"/></sheets></workbook>".utf8
                )
            ),
            (
                "xl/_rels/workbook.xml.rels",
                Array(
                    ("<Relationships><Relationship Id=\"a\" Target=\"worksheets/a.xml\"/>"
                        + "</Relationships>").utf8
                )
            ),
        ]
        let names = ["xl/worksheets/a.xml", "xl/sharedStrings.xml", "xl/styles.xml"]
        for (name, part) in zip(names, parts) { files.append((name, Array(part))) }
        return zipped(files)
    }

    // MARK: Checks

    private static func archive(_ bytes: [UInt8]) throws {
        let bound = 1 << 20
        if let plain = try? PackedFiles.gunzip(bytes, bytesMax: bound) {
            try hold(plain.count <= bound, "more is unpacked than the bound")
        }
        guard var packed = try? PackedFiles(bytes, bytesMax: bound) else { return }
        var sum = 0
        for entry in packed.entries {
            guard let contents = try? packed.contents(of: entry) else { continue }
            sum += contents.count
            try hold(contents.count == entry.length, "an entry of another length")
        }
        try hold(sum <= bound, "more is unpacked than the bound")
    }

    /// What is read does not depend on how it was cut; the first byte says where.
    private static func xml(_ data: [UInt8]) throws {
        guard data.count > 1 else { return }
        let bytes = Array(data.dropFirst())
        let cut = Int(data[0]) * max(1, bytes.count / 200) % bytes.count
        for isUTF8 in [true, false] {
            let whole = events(bytes, [], isUTF8)
            let parted = events(bytes, [cut], isUTF8)
            try hold(whole.isWhole == parted.isWhole, "the cut at \(cut) changes the verdict")
            // What was refused may have told more or less before.
            guard whole.isWhole else { continue }
            try hold(whole.told == parted.told, "the cut at \(cut) changes what is told")
        }
    }

    private static func events(
        _ bytes: [UInt8],
        _ cuts: [Int],
        _ isUTF8: Bool
    ) -> (told: [String], isWhole: Bool) {
        let parser = XMLEvents(isUTF8: isUTF8, textBytesMax: 1 << 20) { $0 == "b" }
        guard let parser else { return ([], false) }
        var told: [String] = []
        var start = 0
        for end in cuts + [bytes.count] {
            let isLast = end == bytes.count
            guard let found = try? parser.feed(bytes[start..<end], isLast: isLast) else {
                return (told, false)
            }
            for event in found {
                switch event.kind {
                case .open(let name, let attributes): told.append("<\(name) \(attributes)")
                case .close(let name): told.append(">\(name)")
                case .text(let text):
                    // By bytes: before a mark that combines, «=» is no character of its own.
                    let isMore = told.last?.utf8.first == UInt8(ascii: "=")
                    if isMore { told[told.count - 1] += text } else { told.append("=" + text) }
                }
            }
            start = end
        }
        return (told, true)
    }
}
