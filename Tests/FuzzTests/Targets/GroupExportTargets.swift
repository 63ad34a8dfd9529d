import BankFiles
import WalletProtocol

extension FuzzTarget {
    static let groupExports = [
        FuzzTarget(
            "group-exports",
            words: [
                ",", ";", "\"", "\n", "EUR", "JPY", "KWD", "0.00", "-1.00", "1.234", "1,50",
                "2024-02-29", "02/03/2024", "Payment", " , , ", "Paid by ", "Impacted to ",
                "Payé par", "Pour ", "Title", "Amount in default currency (EUR)",
                "9223372036854775807", "10000000000000.00",
            ],
            growths: [
                Growth(splitwise, "2024-01-02,x,y,2.00,EUR,1.00,-1.00\n"),
                Growth(splitwise, "2024-01-02,x, , ,EUR,1.00,-1.00\n"), Growth(splitwise, ","),
                Growth("Date,What,Cat,Cost,Cur", numbered: ",P", "", "\n2024-01-02,x,y,2,EUR,1\n"),
                Growth(splitwise + "2024-01-02,", "é ", ",y,2.00,EUR,1.00,-1.00\n"),
                Growth(splitwise, "\"\"", "\n"), Growth(splitwise, "\n"),
                Growth("Date,What,Cat,Cost,Cur", ",Alex", "\n2024-01-02,x,y,2,EUR,1\n"),
                Growth(tricount, "x,2.00,EUR,2024-01-02,Ada,1.00,1.00\n"),
                Growth("Title,Amount,Currency,Date,Paid by", numbered: ",Pour P", "", "\n"),
            ],
            seeds: {
                [
                    splitwise + "2024-01-02,Bread,Food,3.00,EUR,2.00,-2.00\n"
                        + "2024-01-03,Back,Payment,1.50,EUR,-1.50,1.50\n"
                        + "2024-01-04,Refund,Food,-2.00,EUR,-1.00,1.00\n\n"
                        + "2024-02-01,Total balance, , ,EUR,-0.50,0.50\n",
                    "Datum;Was;Art;Kosten;Währung;Ada;Bob;Cleo\n"
                        + "31/01/2024;Brot;Essen;1.234,50;EUR;600,00;34,50;-634,50\n",
                    tricount + "Bread,2.00,EUR,2024-01-02,Ada,1.00,1.00\n",
                    "Titre,Montant,Devise,Amount in default currency (EUR),Date & heure,"
                        + "Payé par Ada,Payé par Bob,Impacté à Ada,Impacté à Bob\n"
                        + "Taxi,12.00,USD,10.80,15/07/2023 12:00,6.00,4.80,-5.40,-5.40\n",
                ].map { Array($0.utf8) }
            },
            check: { bytes in
                for format in [nil, GroupImportFormat.splitwise, .tricount] {
                    try groupExport(bytes, format)
                }
            }
        )
    ]

    private static let splitwise = "Date,Description,Category,Cost,Currency,Ada,Bob\n\n"
    private static let tricount =
        "Title,Amount,Currency,Date,Paid by,Paid for Ada,Paid for Bob\n"

    private static func groupExport(_ bytes: [UInt8], _ format: GroupImportFormat?) throws {
        let export: GroupExport
        do throws(UnreadableStatement) {
            export = try readGroupExport(bytes, format: format)
        } catch {
            switch error {
            case .unreadable(let line, let detail):
                try hold(line >= 1 && !detail.isEmpty, "a refusal without a place")
            case .unknownFormat(let detail):
                try hold(!detail.isEmpty, "a refusal without a reason")
            case .several, .mapping: throw FuzzFault(description: "nothing was asked: \(error)")
            }
            return
        }
        try hold(format == nil || export.format == format, "read as another format")
        let people = export.people
        try hold(people.count <= GroupExportLimits.peopleMax, "too many people")
        try hold(Set(people).count == people.count, "two of one name")
        try hold(people.allSatisfy { !$0.isEmpty && $0.unicodeScalars.count <= 80 }, "a name")
        try hold(
            export.rows.count + export.faults.count
                <= GroupExportLimits.rowsMax + Currency.all.count,
            "too many rows"
        )
        for fault in export.faults {
            try hold(fault.line >= 1 && !fault.detail.isEmpty, "a fault without a place")
        }
        var sums: [Currency: Int128] = [:]
        for row in export.rows {
            try judge(row, people.count)
            sums[row.amount.currency, default: 0] += Int128(row.amount.minorUnits)
        }
        try hold(sums.values.allSatisfy { $0 <= Int128(Int64.max) }, "sums beyond 64 bits")
        for (_, balances) in export.balances {
            try hold(balances.reduce(Int128(0)) { $0 + Int128($1) } == 0, "no sum of zero")
        }
        _ = export.ties
    }

    private static func judge(_ row: GroupExportRow, _ people: Int) throws {
        try hold(!row.amount.isZero && row.line >= 1 && !row.name.isEmpty, "the row \(row)")
        for side in [row.paid, row.shares] {
            let sum = side.reduce(Int128(0)) { $0 + Int128($1.amount) }
            try hold(sum == Int128(row.amount.minorUnits), "a side that does not sum up")
            try hold(Set(side.map(\.person)).count == side.count, "somebody twice on a side")
            try hold(
                side.allSatisfy {
                    $0.amount.signum() == row.amount.minorUnits.signum()
                        && (0..<people).contains($0.person)
                },
                "a part of nobody, of nothing, or of another sign"
            )
        }
    }
}
