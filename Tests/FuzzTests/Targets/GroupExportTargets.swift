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
                "9223372036854775807", "10000000000000.00", "Is Reimbursement", "Split mode",
                "what,amount,date,payer_name,owers", "name,weight", "deleteMeIfYouWant", "You",
                "SETTLEMENT", "share of ", "settlement", "Bezahlt von ", "$", "€",
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
                Growth(spliit, "2024-01-02,x,y,EUR,2.00,No,Evenly,1,-1\n"),
                Growth(cospend, "x,2,2024-01-02,Ada,\"Ada,Bob\"\n"),
                Growth(cospend + "x,2,2024-01-02,Ada,\"", "Ada,", "\"\n"),
                Growth("name,weight\n", "a,1\n", cospend),
                Growth(splitpro, "You,x,y,2.00,EQUAL,2024-01-02,EUR,1.00,0,0\n"),
                Growth("Date,Title,Currency", numbered: ",Paid by P", ",Paid for P", "\n"),
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
                    spliit + "2024-01-02,Bread,Food,EUR,3.00,No,Evenly,1.5,-1.5\n"
                        + "2024-01-03,Back,Payment,€,1.50,Yes,Evenly,0,-1.5\n",
                    cospend + "Bread,3,2024-01-02,Ada,\"Ada,Bob\"\nTea,0,2024-01-02,Bob,Ada\n",
                    splitpro + "You,Bread,Food,3.00,EQUAL,2024-01-02 10:00:00,EUR,1.50,0,0\n"
                        + "Bob,Back,General,1.50,SETTLEMENT,2024-01-03 10:00:00,EUR,0,0,1.50\n",
                    "Date,Title,Paid by Ada,Paid by Bob,Paid for Ada,Paid for Bob,Currency\n"
                        + "20240102,Bread,3.00,0.00,1.50,1.50,EUR\n",
                    "date,kind,name,currency,amount,paid by Ada,share of Ada,share of Bob\n"
                        + "2024-01-02,settlement,x,EUR,3.00,3.00,,3.00\n",
                    "Titel;Betrag;Währung;Datum;Bezahlt von Ada;Bezahlt von Bob;Teil Ada;Teil Bob\n"
                        + "Brot;3,00;EUR;2024-01-02;3,00;;1,50;1,50\n",
                ].map { Array($0.utf8) }
            },
            check: { bytes in
                for format in [nil] + GroupImportFormat.allCases.map({ $0 }) {
                    try groupExport(bytes, format)
                }
            }
        )
    ]

    private static let splitwise = "Date,Description,Category,Cost,Currency,Ada,Bob\n\n"
    private static let spliit =
        "Date,Description,Category,Currency,Cost,Is Reimbursement,Split mode,Ada,Bob\n"
    private static let cospend =
        "name,weight,active\nAda,1,1\nBob,2.5,1\n\nwhat,amount,date,payer_name,owers\n"
    private static let splitpro =
        "Paid By,Name,Category,Amount,Split Type,Expense Date,Currency,You Lent,You Owe,"
        + "Settlement\n"
    private static let tricount =
        "Title,Amount,Currency,Date,Paid by,Paid for Ada,Paid for Bob\n"

    private static func groupExport(_ bytes: [UInt8], _ format: GroupImportFormat?) throws {
        let export: GroupExport
        do throws(UnreadableStatement) {
            let group = AssumedCurrency(.eur, isNamed: bytes.count.isMultiple(of: 2))
            export = try readGroupExport(bytes, format: format, assuming: group)
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
            export.rows.count + export.faults.count + export.notes.count
                <= GroupExportLimits.rowsMax + Currency.all.count,
            "too many rows"
        )
        try hold(export.exporter.map { people.indices.contains($0) } ?? true, "an exporter")
        for fault in export.faults + export.notes {
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
