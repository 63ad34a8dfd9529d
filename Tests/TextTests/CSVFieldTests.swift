import Testing
import Text

/// Fields of CSV: what goes in is what comes out, and none is a formula.
@Suite struct CSVFieldTests {
    /// What RFC 4180 makes of one field, less the apostrophe that was put before a formula.
    private func read(_ field: [UInt8]) -> String {
        var text = String(decoding: field, as: UTF8.self)
        if text.first == "\"" || text.unicodeScalars.first == "\"" {
            var scalars = Array(text.unicodeScalars.dropFirst().dropLast())
            var at = 0
            while at < scalars.count {
                if scalars[at] == "\"" { scalars.remove(at: at) }
                at += 1
            }
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            text = String(view)
        }
        let rest = text.unicodeScalars.drop { $0 == "'" }
        let dangerous = "=+-@\t\r\n\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".unicodeScalars
        if text.unicodeScalars.first == "'", let first = rest.first, dangerous.contains(first) {
            return String(text.unicodeScalars.dropFirst())
        }
        return text
    }

    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
        ("two\nlines", "\"two\nlines\""), ("=1+1", "\"'=1+1\""), ("-5", "\"'-5\""),
        ("'=x", "\"''=x\""), ("'quoted'", "'quoted'"), (" x", "\" x\""), ("a;b", "\"a;b\""),
    ])
    func fieldsAreQuotedWhereTheyMust(_ text: String, _ written: String) {
        var out: [UInt8] = []
        CSVField.append(text, to: &out)
        #expect(String(decoding: out, as: UTF8.self) == written)
    }

    @Test func anyTextComesBack() {
        let letters = Array(
            "ab '\"=+-@,;\r\n\t\u{1}\u{7f}\u{202e}\u{5d0}\u{627}\u{fffe}\u{ff1d}漢🧾".unicodeScalars
        )
        for _ in 0..<50_000 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...8) {
                if let letter = letters.randomElement() { scalars.append(letter) }
            }
            let text = String(scalars)
            var out: [UInt8] = []
            CSVField.append(text, to: &out)
            let back = read(out)
            #expect(Array(back.utf8) == Array(text.utf8), "\(text.debugDescription)")
            if let first = out.first, first != UInt8(ascii: "\"") {
                #expect(!"=+-@\t\r".utf8.contains(first), "\(text.debugDescription)")
            }
        }
    }

    @Test func aTableHasAFieldForEachColumn() {
        var table = CSVTable(["a", "b", "c"])
        table.append(["row", .text("-1,5"), .plain("-1.50")])
        table.append([.text(nil), .plain(nil)])
        let text = String(decoding: table.bytes, as: UTF8.self)
        #expect(text == "\u{feff}a,b,c\r\nrow,\"'-1,5\",-1.50\r\n,,\r\n")
    }
}
