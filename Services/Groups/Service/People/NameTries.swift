import Crypto
import Postgres
import ServiceKit
import WalletProtocol

/// Slows down whoever tries which usernames there are, per caller and per network.
///
/// An invitation to a username that is nobody's says so. A few such answers are free, and more come
/// back with time; a name that is somebody's costs nothing, for whoever invites it is bounded
/// anyway. What is counted is held in the database for every replica.
final class NameTries {
    /// What is counted, with how many are free and how many seconds give one back.
    private enum Subject {
        case caller(ID<User>)
        /// Many people may stand behind one.
        case network(String)

        var text: String {
            switch self {
            case .caller(let user): "caller:" + user.text
            case .network(let address): "network:" + ClientNetwork(address).line
            }
        }

        var bound: (free: Int32, seconds: Int32) {
            switch self {
            case .caller: (NameTries.freeOfCaller, 180)
            case .network: (NameTries.freeOfNetwork, 30)
            }
        }
    }

    static let freeOfCaller: Int32 = 20
    static let freeOfNetwork: Int32 = 100

    private let database: Database
    private let key: [UInt8]

    /// - Parameter secret: what subjects are hidden by.
    init(database: Database, secret: String) {
        self.database = database
        key = HMACSHA256.code("name tries".utf8, key: Array(secret.utf8))
    }

    /// Looks up a username, and counts it where it is nobody's.
    /// - Throws: `too-many-requests`.
    func counting(
        by user: ID<User>,
        from address: String,
        _ find: () async throws -> Person?
    ) async throws -> Person? {
        let subjects = [Subject.caller(user), .network(address)]
        for subject in subjects { try await count(subject) }
        do {
            guard let found = try await find() else { return nil }
            try await uncount(subjects)
            return found
        } catch {
            try await uncount(subjects)
            throw error
        }
    }

    private func count(_ subject: Subject) async throws {
        let bound = subject.bound
        let isCounted = try await database.queryOne(
            NameTryStatements.count,
            name(subject),
            bound.free,
            bound.seconds
        )
        guard isCounted == true else {
            throw APIError(
                .tooManyRequests,
                "Too many usernames that do not exist were tried.",
                retryAfterSeconds: Int(bound.seconds)
            )
        }
    }

    private func uncount(_ subjects: [Subject]) async throws {
        try await database.execute(NameTryStatements.uncount, subjects.map { name($0) })
    }

    /// A day without tries forgets.
    func deleteOld() async throws {
        try await database.execute(NameTryStatements.deleteOld)
    }

    private func name(_ subject: Subject) -> String {
        Base64URL.encode(HMACSHA256.code(subject.text.utf8, key: key))
    }
}
