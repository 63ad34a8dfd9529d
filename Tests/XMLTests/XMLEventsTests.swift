import Testing

@testable import XML

/// Documents in pieces, and what of them is refused.
@Suite struct XMLEventsTests {
    private func read(
        _ text: String,
        pieces size: Int = 1 << 20,
        textBytesMax: Int = 1_000
    ) throws -> [String] {
        let made = XMLEvents(isUTF8: true, textBytesMax: textBytesMax) { $0 == "a" }
        let xml = try #require(made)
        let bytes = Array(text.utf8)
        var told: [String] = []
        var start = 0
        repeat {
            let end = min(start + size, bytes.count)
            for event in try xml.feed(bytes[start..<end], isLast: end == bytes.count) {
                switch event.kind {
                case .open(let name, let attributes):
                    let kept = attributes.map { " \($0.name)=\($0.value)" }.joined()
                    told.append("<\(name)\(kept)>")
                case .text(let text):
                    // A text that a piece ended is told in two.
                    if let last = told.last, !last.hasPrefix("<") {
                        told[told.count - 1] = last + text
                    } else {
                        told.append(text)
                    }
                case .close(let name): told.append("</\(name)>")
                }
            }
            start = end
        } while start < bytes.count
        return told
    }

    private static let document = "<n:x n:b='2' a='1 &amp; 2'>é<y/>t&#10;u<![CDATA[<v>]]></n:x>"

    @Test(arguments: 1...document.utf8.count)
    func aDocumentIsTheSameInPiecesOfEachSize(size: Int) throws {
        let told = try read(Self.document, pieces: size)
        #expect(told == ["<x a=1 & 2>", "é", "<y>", "</y>", "t\nu<v>", "</x>"])
    }

    @Test(arguments: [
        "", "x", "<x>", "<x></y>", "<x>&e;</x>", "<!DOCTYPE x><x/>",
        "<!DOCTYPE x [<!ENTITY e 'v'>]><x>&e;</x>", "<\(String(repeating: "n", count: 257))/>",
        "<x/><x/>",
    ])
    func whatIsNoDocumentIsRefused(text: String) {
        #expect(throws: XMLError.self) { _ = try read(text) }
    }

    @Test func elementsNestUpToABound() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<x>", count: depth) + String(repeating: "</x>", count: depth)
        }
        #expect(try read(nested(XMLEvents.depthMax)).count == 2 * XMLEvents.depthMax)
        #expect(throws: XMLError.self) { _ = try read(nested(XMLEvents.depthMax + 1)) }
    }

    @Test func aCommentIsNotGoneOverAgainAndAgain() throws {
        func commented(_ bytes: Int) -> String {
            "<x><!--\(String(repeating: "c", count: bytes))--></x>"
        }
        let short = commented(XMLEvents.tokenBytesMax / 2)
        #expect(try read(short, pieces: 1 << 18) == ["<x>", "</x>"])
        let long = commented(3 * XMLEvents.tokenBytesMax)
        #expect(throws: XMLError.self) { _ = try read(long, pieces: 1 << 18) }
    }

    @Test func aTextIsKeptUpToItsBound() throws {
        let text = String(repeating: "t\n", count: 1_000)
        let told = try read("<x>\(text)</x>", textBytesMax: 100)
        #expect(told.count == 3 && (100...110).contains(told[1].utf8.count))
    }

    @Test func aRefusalNamesItsLine() {
        #expect(throws: XMLError(line: 2, detail: "a DOCTYPE is not taken")) {
            _ = try read("<?xml version='1.0'?>\n<!DOCTYPE x><x/>")
        }
    }
}
