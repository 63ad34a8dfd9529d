/// Digits and marks of other scripts, as those of ASCII.
enum ForeignDigits {
    /// A digit (`٣`, `۳`, `３`), a mark (`٫`, `٬`) or a sign; any other scalar as it is.
    static func ascii(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard scalar.value >= 0x660 else { return scalar }
        switch scalar {
        case "٫", "．": return "."
        case "٬": return "'"
        case "，": return ","
        case "／": return "/"
        case "－", "﹣": return "-"
        case "＋": return "+"
        case "（": return "("
        case "）": return ")"
        default: break
        }
        // Letters and signs of East Asia are none, and the most there are.
        guard !("\u{3000}"..."\u{FAFF}").contains(scalar),
            scalar.properties.generalCategory == .decimalNumber,
            let value = scalar.properties.numericValue, let digit = UInt8(exactly: value)
        else { return scalar }
        return Unicode.Scalar(0x30 + digit)
    }

    /// The same text; as it is where all of it is ASCII.
    static func ascii(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { ascii($0) }))
    }
}

/// Days as East Asia writes them.
enum CSVDates {
    /// `2024年3月5日` and `2024년 3월 5일` become `2024-3-5`.
    static func simplify(_ bytes: inout [UInt8]) {
        guard bytes.contains(where: { $0 >= 0x80 }) else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "年", "月", "년", "월": out += "-"
            case "日", "일": out += " "
            case " " where out.last == "-": break
            // Marks of direction.
            case "\u{200E}", "\u{200F}", "\u{61C}": break
            default: out.unicodeScalars.append(scalar)
            }
        }
        bytes = Array(out.utf8.drop { $0 <= 0x20 })
    }
}
