import IBANs
import WalletProtocol

/// A row of a preview, and one of another own account with the opposite amount within three days.
struct OwnTransferCandidate: Sendable, Hashable {
    let place: Int32
    let account: ID<Account>
    let other: ImportPlace
    /// Whom each row names as its other side.
    let counterparty: String?
    let otherCounterparty: String?
    /// Whether both carry the same id of the payer.
    let sameEndToEnd: Bool
    /// Whether both name the accounts' owner.
    let sameOwner: Bool
}

/// Which rows of two own accounts tell of the same money.
///
/// There must be evidence beside amount and day: one side names the other's account number; or,
/// where no number says otherwise, both carry the payer's id of one payment, or both name the owner
/// of the accounts. Of each row and of each other only one pair may be that good: between several
/// nobody is asked to guess.
struct OwnTransfers {
    /// The days that may lie between the two sides.
    static let daysMax = 3

    /// The numbers that each own account is known by, in capitals and digits.
    let numbers: [ID<Account>: [String]]
    let account: ID<Account>

    /// The pairs.
    func pairs(among candidates: [OwnTransferCandidate]) -> [OwnTransferCandidate] {
        let judged = candidates.compactMap { candidate in
            evidence(candidate).map { (candidate, $0) }
        }
        var best: [Int32: Int] = [:]
        var bestOfOthers: [ImportPlace: Int] = [:]
        for (candidate, evidence) in judged {
            best[candidate.place] = max(best[candidate.place] ?? 0, evidence)
            bestOfOthers[candidate.other] = max(bestOfOthers[candidate.other] ?? 0, evidence)
        }
        let good = judged.filter { candidate, evidence in
            evidence == best[candidate.place] && evidence == bestOfOthers[candidate.other]
        }
        var counts: [Int32: Int] = [:]
        var countsOfOthers: [ImportPlace: Int] = [:]
        for (candidate, _) in good {
            counts[candidate.place, default: 0] += 1
            countsOfOthers[candidate.other, default: 0] += 1
        }
        return good.map(\.0).filter {
            counts[$0.place] == 1 && countsOfOthers[$0.other] == 1
        }
    }

    /// 2 for a number, 1 for an id or the owner's name, nil for nothing.
    private func evidence(_ candidate: OwnTransferCandidate) -> Int? {
        let near = says(candidate.counterparty, of: candidate.account)
        let far = says(candidate.otherCounterparty, of: account)
        guard near != false, far != false else { return nil }
        if near == true || far == true { return 2 }
        return candidate.sameEndToEnd || candidate.sameOwner ? 1 : nil
    }

    /// Whether a number is one of an account's; nil where it cannot be told.
    private func says(_ number: String?, of account: ID<Account>) -> Bool? {
        guard let number else { return nil }
        let known = numbers[account] ?? []
        if known.contains(where: { OwnTransfers.isSame($0, number) }) { return true }
        // Two IBANs that differ are two accounts; other ways to write a number may be one.
        return OwnTransfers.isIBAN(number) && known.contains(where: OwnTransfers.isIBAN)
            ? false : nil
    }

    /// The same, or one at the end of the other, as an account's number is of its IBAN.
    static func isSame(_ first: String, _ second: String) -> Bool {
        let (short, long) = first.utf8.count < second.utf8.count ? (first, second) : (second, first)
        if short == long { return true }
        return short.utf8.count >= 7 && isIBAN(long) && long.hasSuffix(short)
    }

    private static func isIBAN(_ number: String) -> Bool {
        let bytes = Array(number.utf8)
        return (15...IBAN.lengthMax).contains(bytes.count) && bytes[0] >= 0x41 && bytes[1] >= 0x41
            && bytes[2] < 0x3A && bytes[3] < 0x3A
    }
}
