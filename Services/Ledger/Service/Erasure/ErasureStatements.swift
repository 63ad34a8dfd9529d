import Postgres
import ServiceKit
import WalletProtocol

/// Where the erasure of texts stands: the last transaction looked at.
struct ErasedPlace: Sendable {
    var day: Day
    var id: ID<MoneyTransaction>
}

/// The SQL of erasure; the functions are in 0008_erasure.sql, with the indexes that serve them.
enum ErasureStatements {
    static let agree = Statement(
        "select ledger.agree_to_erasure_v1($1, $2)"
    ) { row in try row.bool(0) }

    static let erasePerson = Statement<Void>(
        "select ledger.erase_person_v1($1, $2)"
    )

    static let eraseTexts = Statement(
        "select last_day, last_id from ledger.erase_texts_v1($1, $2, $3, $4, $5)"
    ) { row in try ErasedPlace(day: row.value(0), id: row.value(1)) }

    /// By erasure_decided_at_idx: a refusal stands for as long as its request can still be under
    /// way.
    static let deleteRefused = Statement<Void>(
        """
        delete from ledger.erasure
        where not is_agreed and decided_at < now() - interval '1 day'
        """
    )
}
