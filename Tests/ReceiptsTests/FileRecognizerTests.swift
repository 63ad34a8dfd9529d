import Testing
import WalletProtocol

@testable import Receipts

/// Small whole files of each kind, made by hand from their specifications.
enum SampleFiles {
    static let png: [UInt8] = [
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0,
        0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 10, 0x49, 0x44, 0x41,
        0x54, 0x78, 0x9c, 0x63, 0x60, 0, 0, 0, 2, 0, 1, 0x48, 0xaf, 0xa4, 0x71, 0, 0, 0, 0, 0x49,
        0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
    ]
    static let gif =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
        + [0x21, 0xf9, 4, 0, 0, 0, 0, 0]
        + [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0] + [2, 2, 0x44, 1, 0] + [0x3b]
    static let jpeg: [UInt8] =
        [0xff, 0xd8, 0xff, 0xe0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
        + [0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]
        + [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0] + [1, 2, 3, 0xff, 0, 4] + [0xff, 0xd9]
    /// Bytes that may stand before any marker (ISO 10918-1, B.1.1.2).
    static let filledJPEG: [UInt8] =
        [0xff, 0xd8, 0xff, 0xff, 0xff, 0xe0, 0, 16] + jpeg[6..<20]
        + [0xff, 0xff] + jpeg[21...]
    static let webp = riff(Array("VP8L".utf8) + [4, 0, 0, 0, 0x2f, 0, 0, 0])
    static let heic =
        box(
            "ftyp",
            Array("mif1".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8)
        ) + box("meta", [UInt8](repeating: 0, count: 40)) + box("mdat", [1, 2, 3, 4])
    static let avif =
        box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
        + box("meta", [UInt8](repeating: 0, count: 30)) + box("mdat", [9])
    static let pdf = Array("%PDF-1.7\n1 0 obj<<>>endobj\ntrailer<<>>\nstartxref\n9\n%%EOF\n".utf8)

    static let all: [(AttachmentType, [UInt8])] = [
        (.png, png), (.gif, gif), (.jpeg, jpeg), (.webp, webp), (.heic, heic), (.avif, avif),
        (.pdf, pdf), (.jpeg, filledJPEG),
    ]

    private static func riff(_ chunks: [UInt8]) -> [UInt8] {
        let size = chunks.count + 4
        return Array("RIFF".utf8) + [UInt8(size & 255), UInt8(size >> 8), 0, 0]
            + Array("WEBP".utf8) + chunks
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(content.count + 8)] + Array(type.utf8) + content
    }
}

/// Files are told by what is in them, all of it.
@Suite struct FileRecognizerTests {
    private func recognize(_ bytes: [UInt8], by size: Int) -> AttachmentType? {
        var recognizer = FileRecognizer()
        var at = 0
        while at < bytes.count {
            _ = recognizer.take(Array(bytes[at..<min(at + size, bytes.count)]))
            at += size
        }
        return recognizer.finish()?.type
    }

    @Test func everyKindIsFoundHoweverItComes() {
        for (type, bytes) in SampleFiles.all {
            for size in 1...(bytes.count + 1) {
                let found = recognize(bytes, by: size)
                #expect(found == type, "\(type) in pieces of \(size)")
            }
        }
    }

    @Test func whatEndsTooEarlyIsNoFile() {
        for (type, bytes) in SampleFiles.all {
            for count in 0..<bytes.count {
                let cut = Array(bytes[..<count])
                // A PDF's last line break may be missing.
                if type == .pdf, cut.last == UInt8(ascii: "F") { continue }
                let found = recognize(cut, by: 7)
                #expect(found == nil, "\(type) cut to \(count)")
            }
        }
    }

    @Test func othersAreRefusedByTheirFirstBytes() {
        let others = [
            "<html><script>alert(1)</script>", "MZ", "#!/bin/sh\n", "PK\u{3}\u{4}", "<svg/>", "",
        ]
        for text in others {
            var recognizer = FileRecognizer()
            _ = recognizer.take(Array(text.utf8) + [UInt8](repeating: 65, count: 64))
            #expect(recognizer.isRefused)
            #expect(recognizer.finish() == nil)
        }
    }

    @Test func randomChangesNeverTrapAndRarelyPass() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            guard let (_, bytes) = SampleFiles.all.randomElement(using: &generator) else { return }
            var changed = bytes
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<changed.count, using: &generator)
                changed[place] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = recognize(changed, by: Int.random(in: 1...80, using: &generator))
        }
    }
}

/// Names as they are kept.
@Suite struct AttachmentNameTests {
    @Test(arguments: [
        ("receipt.pdf", "receipt.pdf"), ("../../etc/passwd", "passwd.pdf"),
        ("C:\\fakepath\\Rechnung.PDF", "Rechnung.PDF"), ("run.exe", "run.exe.pdf"),
        ("", "receipt.pdf"), ("...", "receipt.pdf"), (" .hidden ", "hidden.pdf"),
        ("a\u{0}b\r\nc.pdf", "abc.pdf"), ("\u{202e}fdp.exe", "fdp.exe.pdf"),
        ("e\u{301}té.pdf", "été.pdf"), ("发票.pdf", "发票.pdf"), ("a.b.pdf", "a.b.pdf"),
        (".pdf", "pdf.pdf"),
    ])
    func isPlain(_ given: String, _ kept: String) {
        #expect(AttachmentName.clean(given, for: .pdf) == kept)
    }

    @Test func isShort() {
        let long = AttachmentName.clean(String(repeating: "é", count: 5_000), for: .jpeg)
        #expect(long.unicodeScalars.count == AttachmentName.lengthMax + 4)
        // One character of many code points has no more marks than a text is given.
        let zalgo = "e" + String(repeating: "\u{316}", count: 4_000)
        let kept = AttachmentName.clean(zalgo, for: .jpeg)
        #expect(kept.hasSuffix(".jpg") && kept.unicodeScalars.count <= 1 + 30 + 4)
        #expect(AttachmentName.clean(nil, for: .heic) == "receipt.heic")
    }

    @Test(arguments: [
        ("attachment; filename=\"a.pdf\"", "a.pdf"),
        ("attachment; filename=\"a\\\"b;c.pdf\"; x=y", "a\"b;c.pdf"),
        ("inline;filename=plain.pdf", "plain.pdf"),
        ("attachment; filename=\"x\"; filename*=UTF-8''%E2%82%AC%20rates.pdf", "€ rates.pdf"),
        ("attachment; filename*=UTF-8'en'%zz; filename=y", "y"),
    ])
    func isReadFromTheHeader(_ field: String, _ name: String) {
        #expect(AttachmentName.inDisposition(field) == name)
    }

    @Test func headersWithoutANameHaveNone() {
        #expect(AttachmentName.inDisposition("attachment") == nil)
        #expect(AttachmentName.inDisposition("attachment; filename") == nil)
        #expect(AttachmentName.inDisposition("") == nil)
    }

    @Test func theHeaderComesBack() {
        for name in ["a.pdf", "été \"x\".pdf", "发票;,%.pdf"] {
            let field = AttachmentName.disposition(name)
            #expect(field.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f })
            #expect(AttachmentName.inDisposition(field) == name)
        }
    }

    @Test func rangesAreThoseOfTheStandard() {
        let range = { AttachmentContent.range($0, of: 100) }
        #expect(range("bytes=0-9") == 0..<10)
        #expect(range("bytes=90-") == 90..<100)
        #expect(range("bytes=-5") == 95..<100)
        #expect(range("bytes=-500") == 0..<100)
        #expect(range("bytes=50-1000") == 50..<100)
        #expect(range("bytes=50-\(Int.max)") == 50..<100, "no number is too large to be read")
        #expect(range("bytes=-\(Int.max)") == 0..<100)
        #expect(range("bytes=\(Int.max)-\(Int.max)")?.isEmpty == true)
        #expect(range("bytes=100-")?.isEmpty == true)
        #expect(range("bytes=-0")?.isEmpty == true)
        for odd in [
            "bytes=5-2", "bytes=0-1,3-4", "lines=0-1", "bytes=a-b", "bytes=-", "bytes=", "",
        ] {
            #expect(range(odd) == nil, "\(odd)")
        }
    }
}
