import Testing
import WalletProtocol

@testable import Receipts

/// What is kept of a file is its picture.
@Suite struct MetadataTests {
    /// A TIFF block that has a camera's name and the orientation 6.
    private static let tiff: [UInt8] =
        Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 2]
        + [0x01, 0x0f, 0, 2, 0, 0, 0, 7, 0, 0, 0, 38]
        + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0] + [0, 0, 0, 0] + Array("Secret\0".utf8)
    private static let secret = Array("Secret".utf8)

    private func kept(_ bytes: [UInt8], by size: Int) -> [UInt8]? {
        var recognizer = FileRecognizer()
        var kept: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            kept += recognizer.take(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        return recognizer.finish().map { kept + $0.kept }
    }

    private func check(_ parts: [[UInt8]], keeps expected: [[UInt8]]) {
        let sent = Array(parts.joined())
        for size in [1, 2, 3, 7, 64, 65, sent.count] {
            let kept = kept(sent, by: size)
            #expect(kept == Array(expected.joined()), "in pieces of \(size)")
        }
    }

    private func text(_ head: String, _ rest: [UInt8] = secret) -> [UInt8] {
        Array(head.utf8) + rest
    }

    @Test func filesWithoutMetadataAreKeptWhole() {
        for (type, bytes) in SampleFiles.all where bytes != SampleFiles.filledJPEG {
            let kept = kept(bytes, by: bytes.count)
            #expect(kept == bytes, "\(type)")
        }
    }

    private func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
        [0xff, marker, UInt8((data.count + 2) >> 8), UInt8((data.count + 2) & 255)] + data
    }

    @Test func jpegKeepsColoursAndOrientation() {
        let sample = SampleFiles.jpeg
        let (head, frame) = (Array(sample[..<20]), Array(sample[20..<sample.count - 2]))
        let colours = segment(0xe2, text("ICC_PROFILE\0", [1, 1, 9]))
        let adobe = segment(0xee, text("Adobe", [0, 100, 0, 0, 0, 0, 1]))
        let exif = segment(0xe1, text("Exif\0\0", Self.tiff))
        let others = [
            segment(0xe1, text("http://ns.adobe.com/xap/1.0/\0")),
            segment(0xed, text("Photoshop 3.0\0")), segment(0xe2, text("MPF\0")),
            segment(0xfe, Self.secret),
        ]
        let turned = segment(0xe1, text("Exif\0\0", ExifOrientation.block(6)))
        let comment = segment(0xfe, Self.secret)
        check(
            [head, exif] + others
                + [exif, colours, adobe, frame, comment, [0xff, 0xd9], Self.secret],
            keeps: [head, turned, colours, adobe, frame, [0xff, 0xd9]]
        )
    }

    @Test func jpegThumbnailsGo() {
        let sample = SampleFiles.jpeg
        let thumbnail = text("JFIF\0", [1, 1, 0, 0, 1, 0, 1, 2, 1] + Self.secret)
        check(
            [
                Array(sample[..<2]), segment(0xe0, thumbnail),
                segment(0xe0, text("JFXX\0", [0x10] + Self.secret)), Array(sample[20...]),
            ],
            keeps: [sample]
        )
    }

    @Test func jpegScansKeepTheirSegments() {
        let sample = SampleFiles.jpeg
        let whole = [
            Array(sample[..<(sample.count - 2)]), segment(0xc4, [0xff, 0xd9, 1, 2]),
            segment(0xda, [1, 1, 0, 0, 63, 0]), [5, 0xff, 0xd0, 6], [0xff, 0xd9],
        ]
        check(whole, keeps: whole)
    }

    private func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(data.count)] + Array(type.utf8) + data + [1, 2, 3, 4]
    }

    @Test func pngKeepsWhatIsShown() {
        let sample = SampleFiles.png
        let (head, rest) = (Array(sample[..<33]), Array(sample[33...]))
        let shown = [
            chunk("gAMA", [0, 0, 1, 1]), chunk("pHYs", [UInt8](repeating: 1, count: 9)),
        ]
        let others = [
            chunk("tEXt", Self.secret), chunk("iTXt", Self.secret), chunk("zTXt", Self.secret),
            chunk("tIME", [1, 2, 3, 4, 5, 6, 7]), chunk("quXx", Self.secret),
        ]
        let turned: [[UInt8]] = [
            [0, 0, 0, 26], text("eXIf", ExifOrientation.block(6)), Self.sumOfTurned,
        ]
        check(
            [head] + others + shown + [chunk("eXIf", Self.tiff), rest, Self.secret],
            keeps: [head] + shown + turned + [rest]
        )
    }

    /// CRC-32 of that chunk, by zlib.
    private static let sumOfTurned: [UInt8] = [0xd6, 0x67, 0x4b, 0x69]

    @Test func gifKeepsItsRepetitions() {
        let sample = SampleFiles.gif
        let (head, rest) = (Array(sample[..<19]), Array(sample[19...]))
        let loop: [[UInt8]] = [[0x21, 0xff, 11], text("NETSCAPE2.0", [3, 1, 0, 0, 0])]
        let others: [[UInt8]] = [
            [0x21, 0xfe, 6], Self.secret, [0], [0x21, 0xff, 11], text("XMP DataXMP", [6]),
            Self.secret, [0],
        ]
        check([head] + others + loop + [rest, Self.secret], keeps: [head] + loop + [rest])
    }

    private func riff(_ chunks: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + [UInt8(chunks.count + 4), 0, 0, 0] + Array("WEBP".utf8) + chunks
    }

    private func webpChunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        Array(type.utf8) + [UInt8(data.count), 0, 0, 0] + data + (data.count % 2 == 1 ? [0] : [])
    }

    @Test func webpMetadataIsBlanked() {
        let picture = webpChunk("VP8L", [0x2f, 0, 0, 0])
        let features: [UInt8] = [0x0c, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let told: [UInt8] = [0x08] + features.dropFirst()
        let exif = ExifOrientation.block(6) + [UInt8](repeating: 0, count: Self.tiff.count - 26)
        let blank = webpChunk("JUNK", [0, 0, 0, 0, 0, 0])
        let sent = [
            webpChunk("VP8X", features), picture, webpChunk("EXIF", Self.tiff),
            webpChunk("XMP ", Self.secret), webpChunk("quux", Self.secret),
        ]
        let kept = [webpChunk("VP8X", told), picture, webpChunk("EXIF", exif), blank, blank]
        check([riff(Array(sent.joined())), Self.secret], keeps: [riff(Array(kept.joined()))])
    }

    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(content.count + 8)] + Array(type.utf8) + content
    }

    /// A HEIC whose item 2, of Exif, lies in the last bytes, and item 3 in the box of items.
    private func heic(
        _ exif: [UInt8],
        _ text: [UInt8],
        types: (String, String) = ("Exif", "mime"),
        isMetaFirst: Bool = true
    ) -> [UInt8] {
        let entries = [(1, "hvc1"), (2, types.0), (3, types.1)].map { id, type in
            box("infe", [2, 0, 0, 0, 0, UInt8(id), 0, 0] + Array(type.utf8) + [0])
        }
        let head = box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
        func meta(_ data: Int) -> [UInt8] {
            let (first, second) = (UInt8(data), UInt8(data + 4))
            let places: [[UInt8]] = [
                [1, 0, 0, 0, 0x44, 0, 0, 3],
                [0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, first, 0, 0, 0, 4],
                [0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, second, 0, 0, 0, UInt8(exif.count)],
                [0, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, UInt8(text.count)],
            ]
            let items: [UInt8] = [0, 0, 0, 0, 0, 3] + entries.joined()
            let boxes: [[UInt8]] = [
                [0, 0, 0, 0], box("iinf", items), box("iloc", Array(places.joined())),
                box("idat", text),
            ]
            return box("meta", Array(boxes.joined()))
        }
        let data = box("mdat", [1, 2, 3, 4] + exif)
        if !isMetaFirst { return head + data + meta(head.count + 8) }
        return head + meta(head.count + meta(0).count + 8) + data
    }

    @Test func heicItemsOfMetadataAreBlanked() {
        let (exif, text) = (Self.secret + [9], Self.secret)
        let (noExif, noText) = ([UInt8](repeating: 0, count: 7), [UInt8](repeating: 0, count: 6))
        check([heic(exif, text)], keeps: [heic(noExif, noText, types: ("skip", "skip"))])
    }

    @Test func heicWithMetadataBeforeItsTableIsRefused() {
        #expect(kept(heic(Self.secret, Self.secret, isMetaFirst: false), by: 9) == nil)
    }
}
