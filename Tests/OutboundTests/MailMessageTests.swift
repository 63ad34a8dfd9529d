import Foundation
import Testing

@testable import Outbound

@Suite struct MailMessageTests {
    private func mail(
        subject: String = "Hello",
        text: String = "Hi",
        to: String = "a@b.c"
    )
        -> MailMessage
    {
        MailMessage(
            from: "from@example.org",
            to: to,
            subject: subject,
            text: text,
            messageID: "id@example.org",
            secondsSince1970: 1_795_239_146
        )
    }

    @Test func noPartOfAMailEndsAHeaderEarly() throws {
        let text = String(
            decoding: try mail(subject: "x\r\nBcc: evil@example.org\r\n\r\nbody").composed(),
            as: UTF8.self
        )
        let head = text.components(separatedBy: "\r\n\r\n")[0]
        #expect(!head.contains("\r\nBcc"))
        for address in ["a@b.c\r\nBcc: d@e.f", "a@b.c>", "", "a b@c.d"] {
            #expect(throws: OutboundError.self) { try mail(to: address).composed() }
        }
    }

    @Test func everyLineOfAMailIsShortAndEndsInCarriageReturnAndLineFeed() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var state = seed
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        let alphabet = Array("aé漢🎉 =\t.\n?_x")
        for _ in 0..<200 {
            let text = String((0..<Int(next() % 300)).map { _ in alphabet[Int(next()) % 12] })
            let bytes = try mail(subject: text, text: text).composed()
            let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
            #expect(lines.allSatisfy { $0.utf8.count <= 78 }, "seed \(seed)")
            #expect(!lines.joined().contains("\n"), "seed \(seed)")
            #expect(bytes.allSatisfy { $0 < 0x80 }, "seed \(seed)")
        }
    }

    @Test func theDateIsThatOfRFC5322() {
        #expect(MailMessage.date(1_795_239_146) == "21 Nov 2026 05:32:26 +0000")
        #expect(MailMessage.date(0) == "1 Jan 1970 00:00:00 +0000")
        #expect(MailMessage.date(951_782_400) == "29 Feb 2000 00:00:00 +0000")
    }
}
