public import Postgres
public import WalletProtocol

// How the protocol's values are kept: each as the column type that a reader of the tables expects.

extension ID: PostgresConvertible {
    /// A uuid.
    public var postgresStorage: PostgresUUID { PostgresUUID(high: high, low: low) }
    /// From a uuid.
    public init?(postgresStorage: PostgresUUID) {
        self.init(high: postgresStorage.high, low: postgresStorage.low)
    }
}

extension Instant: PostgresConvertible {
    /// A timestamptz.
    public var postgresStorage: PostgresInstant { PostgresInstant(microseconds: microseconds) }
    /// From a timestamptz.
    public init?(postgresStorage: PostgresInstant) {
        self.init(microseconds: postgresStorage.microseconds)
    }
}

extension Day: PostgresConvertible {
    /// A date.
    public var postgresStorage: PostgresDay { PostgresDay(days: daysSince1970) }
    /// From a date.
    public init?(postgresStorage: PostgresDay) {
        self.init(daysSince1970: Int(postgresStorage.days))
    }
}

extension Currency: PostgresConvertible {
    /// Its code, as text.
    public var postgresStorage: String { code }
    /// From its code.
    public init?(postgresStorage: String) { self.init(postgresStorage) }
}

extension PostgresRow {
    /// A column of words of which each is a case.
    public func word<Word: StringEnum>(
        _ column: Int,
        as type: Word.Type = Word.self
    ) throws -> Word {
        guard let word = Word(rawValue: try string(column)) else {
            throw problem(column, "is none of the words of \(type)")
        }
        return word
    }
}
