import Testing
import WalletProtocol

@testable import BankFiles

/// Character sets of before Unicode, told by the header or by the rows alone.
@Suite struct CSVCharsetTests {
    /// A header of ASCII letters, and rows whose bytes are given.
    private static func file(_ head: String, _ words: [UInt8]) -> [UInt8] {
        var file = Array("\(head)\n".utf8)
        for day in 1...4 {
            file += Array("2024-03-0\(day);".utf8) + words + Array(";-12,34\n".utf8)
        }
        return file
    }

    /// «Żabka ąęś Łódź» twice; Greek, Turkish, Hebrew, Russian, Chinese, Japanese and Korean words.
    @Test(
        arguments: [
            (
                [
                    0xAF, 0x61, 0x62, 0x6B, 0x61, 0x20, 0xB9, 0xEA, 0x9C, 0x20, 0xA3, 0xF3, 0x64,
                    0x9F,
                ], CSVCharset.windows1250, "Żabka ąęś Łódź"
            ),
            (
                [
                    0xAF, 0x61, 0x62, 0x6B, 0x61, 0x20, 0xB1, 0xEA, 0xB6, 0x20, 0xA3, 0xF3, 0x64,
                    0xBC,
                ], .iso88592, "Żabka ąęś Łódź"
            ),
            (
                [
                    0xD0, 0xE5, 0xF1, 0xE9, 0xE3, 0xF1, 0xE1, 0xF6, 0xDE, 0x20, 0xF3, 0xF5, 0xED,
                    0xE1,
                    0xEB, 0xEB, 0xE1, 0xE3, 0xDE, 0xF2,
                ], .windows1253, "Περιγραφή συναλλαγής"
            ),
            (
                [
                    0xD0, 0xD2, 0xCF, 0xC4, 0xD5, 0xCB, 0xD4, 0xD9, 0x20, 0xC9, 0x20, 0xC8, 0xCC,
                    0xC5,
                    0xC2,
                ], .koi8r, "продукты и хлеб"
            ),
            (
                [
                    0xEF, 0xF0, 0xEE, 0xE4, 0xF3, 0xEA, 0xF2, 0xFB, 0x20, 0xE8, 0x20, 0xF5, 0xEB,
                    0xE5,
                    0xE1,
                ], .windows1251, "продукты и хлеб"
            ),
            ([0xE7, 0xF0, 0xE5, 0xFA, 0x20, 0xEC, 0xE7, 0xED], .windows1255, "חנות לחם"),
            ([0xC9, 0xCC, 0xB5, 0xEA, 0xC3, 0xE6, 0xB0, 0xFC], .gb18030, "商店面包"),
            ([0x82, 0xA8, 0x93, 0x58, 0x83, 0x70, 0x83, 0x93], .shiftJIS, "お店パン"),
            ([0xB0, 0xA1, 0xB0, 0xD4, 0x20, 0xBB, 0xA7], .eucKR, "가게 빵"),
            ([0x63, 0x61, 0x66, 0xE9, 0x20, 0xE0, 0x20, 0x65, 0x6D, 0x70], nil, "café à emp"),
        ] as [([UInt8], CSVCharset?, String)]
    )
    func rowsTellTheCharacterSet(
        _ words: [UInt8],
        _ charset: CSVCharset?,
        _ text: String
    ) throws {
        let bytes = Self.file("Data;Opis;Kwota", words)
        let statement = try #require(try readCSV(bytes, assuming: .eur).first)
        #expect(statement.rows.first?.name == text)
        #expect(statement.layout?.mapping?.charset == charset)
        let told = try #require(statement.layout?.mapping)
        #expect(try readCSV(bytes, mapping: told, assuming: .eur).first?.rows == statement.rows)
    }

    @Test func turkishHeaderTellsItsCharacterSet() throws {
        let head: [UInt8] =
            Array("Tarih;A".utf8) + [0xE7, 0xFD] + Array("klama;Tutar\n2024-03-05;".utf8)
        let row: [UInt8] =
            [0xDE, 0x69, 0xFE, 0x6C, 0x69, 0x20, 0x64, 0x61, 0xF0, 0xFD]
            + Array(";-12,34\n".utf8)
        let statement = try #require(try readCSV(head + row, assuming: .eur).first)
        #expect(statement.rows.map(\.name) == ["Şişli dağı"])
    }

    @Test(arguments: [
        "٢٠٢٦-٠٥-٠٣,قهوة,-١٠٫٥٠\n", "۲۰۲۶-۰۵-۰۳,قهوة,-۱۰٫۵۰\n", "２０２６-０５-０３,قهوة,-１０.５０\n",
    ])
    func digitsOfOtherScriptsAreRead(_ text: String) throws {
        let mapping = CSVMapping(date: .first(1), amount: .first(3), name: .first(2))
        let read = try readCSV(Array(text.utf8), mapping: mapping, assuming: .eur).first
        #expect(read?.rows.map(\.amount) == [-1_050], "\(String(describing: read?.faults))")
        #expect(read?.rows.first?.day == Day("2026-05-03"))
    }
}
