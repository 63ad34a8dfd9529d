import Postgres
import ServiceKit
import WalletProtocol

/// The SQL of erasure; the functions are in 0008_erasure.sql, with the indexes that serve them.
enum ErasureStatements {
    static let agree = Statement(
        "select ledger.agree_to_erasure_v1($1, $2)"
    ) { row in try row.bool(0) }

    static let erasePerson = Statement<Void>(
        "select ledger.erase_person_v1($1, $2)"
    )

    /// Some rows of imports: whether there may be more.
    static let eraseImports = Statement(
        "select ledger.erase_imports_v1($1, $2)"
    ) { row in try row.bool(0) }

    /// The texts of some transactions, from where the last call stopped: whether there may be more.
    static let eraseTexts = Statement(
        "select ledger.erase_texts_v1($1, $2)"
    ) { row in try row.bool(0) }

    /// A refusal stands for as long as its request can still be under way.
    static let deleteRefused = Statement<Void>(
        by: "erasure_decided_at_idx",
        """
        delete from ledger.erasure
        where not is_agreed and decided_at < now() - interval '1 day'
        """
    )
}
