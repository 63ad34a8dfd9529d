package import WalletProtocol

/// The account's statement: the only one, or that of the number asked for; where a number has
/// accounts in several currencies, the one in the account's.
package func chosenStatement(
    of all: [BankStatement],
    number: String?,
    currency: Currency
) throws(UnreadableStatement) -> BankStatement {
    guard !all.isEmpty else {
        throw .unreadable(line: 1, detail: "no account is in the file")
    }
    let names = names(of: all)
    var fitting = all
    if let number = number {
        fitting = zip(all, names).filter { isSame($0.1, number) }.map(\.0)
        // By its place, too, though its file has a name.
        if fitting.isEmpty, number.hasPrefix("#"), let place = Int(number.dropFirst()),
            all.indices.contains(place - 1), all[place - 1].accountNumber == nil
        {
            fitting = [all[place - 1]]
        }
        if fitting.isEmpty { fitting = all.filter { isSame($0.accountNumber, number) } }
        // A file that tells no account is of whichever it is said to be.
        if fitting.isEmpty, all.count == 1, all[0].accountNumber == nil { fitting = all }
    }
    if fitting.count > 1, Set(fitting.map(\.accountNumber)).count == 1 {
        let own = fitting.filter { $0.currency == currency }
        if own.count == 1 {
            fitting = own
        } else if fitting.allSatisfy({ $0.refusal != nil }) {
            fitting = [fitting[0]]
        }
    }
    guard let first = fitting.first, fitting.count == 1 else {
        var seen: Set<String> = []
        throw .several(
            Array(names.filter { !$0.isEmpty && seen.insert($0).inserted }.prefix(listedMax))
        )
    }
    return first
}

/// How many accounts of a file are told of.
private let listedMax = 100

/// What each can be asked for by: its number, where several have it with as much of the bank,
/// the kind and the currency as tells them apart.
private func names(of all: [BankStatement]) -> [String] {
    let written: [(BankStatement) -> [String?]] = [
        { [$0.accountNumber] },
        { [$0.accountNumber, $0.kind] },
        { [$0.bank, $0.accountNumber, $0.kind] },
        { [$0.bank, $0.accountNumber, $0.kind, $0.currency?.code] },
    ]
    var names = [String](repeating: "", count: all.count)
    for write in written {
        let uses = names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        for (index, statement) in all.enumerated()
        where names[index].isEmpty || uses[names[index], default: 0] > 1 {
            names[index] = write(statement).compactMap { $0 }.joined(separator: " ")
        }
    }
    // What nothing tells apart goes by its file's name, else by its place.
    for index in names.indices where names[index].isEmpty {
        let file = all[index].file.flatMap { FileText.line($0, scalarsMax: 64) }
        let isOwn = file != nil && all.count { $0.file == all[index].file } == 1
        names[index] = isOwn ? file ?? "" : "#\(index + 1)"
    }
    return names
}

/// Spaces and the like do not count.
private func isSame(_ written: String?, _ number: String) -> Bool {
    guard let written else { return false }
    return written == number
        || (StatementTexts.accountNumber(written).map {
            $0 == StatementTexts.accountNumber(number)
        } ?? false)
}
