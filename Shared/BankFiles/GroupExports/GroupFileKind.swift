import Text
import WalletProtocol

/// What a file is that is no export of a group as it is read.
enum GroupFileKind {
    /// What it looks like, and what is read: a sentence to be shown to the user.
    static func detail(of bytes: [UInt8], _ text: [UInt8]) -> String {
        "\(likeness(of: bytes, text)); what is read is the CSV of Splitwise, of Tricount (in "
            + "English, French, German or Dutch), of Spliit, Sesterce, Cospend and SplitPro, and "
            + "EZWallet's own table of a group's expenses"
    }

    /// Words that stand together in the files of an app.
    private static let marks: [(words: [String], detail: String)] = [
        (
            ["\"GROUPBALANCES\"", "\"FRIENDS\""],
            "this is SplitPro's download of an account, which has no expenses: send the CSV of a "
                + "friend's page"
        ),
        (
            ["\"PARTICIPANTS\"", "\"EXPENSES\""],
            "this is Spliit's JSON of a group: export the group as CSV"
        ),
        (["WHO PAID", "FOR WHOM"], "this is a file of Settle Up"),
        (["NAME,WEIGHT,ACTIVE"], "this is a file of Cospend without bills"),
        (
            ["TRICOUNT"],
            "this is a file of Tricount, whose columns have names in a language that is not known"
        ),
    ]

    private static func likeness(of bytes: [UInt8], _ text: [UInt8]) -> String {
        if bytes.starts(with: "PK".utf8) {
            return "this is a workbook (XLSX) or another ZIP archive: save its table as CSV"
        }
        switch FileKind.format(of: bytes) {
        case nil, .csv: break
        case .ofx, .camt053, .mt940, .qif:
            return "this is a bank's file: import it into an account"
        }
        // The name of the app may stand in the last line.
        let sample = FileText.capitals(text.count <= 65_536 ? text[...] : text.prefix(32_768))
        let end = FileText.capitals(text.suffix(1_024))
        let found = marks.first { mark in
            mark.words.allSatisfy {
                sample[...].range(of: $0) != nil
                    || end[...].range(of: $0) != nil
            }
        }
        return found?.detail ?? FileKind.likeness(of: bytes)
    }
}
