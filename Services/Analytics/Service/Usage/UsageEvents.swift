import Postgres
import ServiceKit
import WalletProtocol

/// Keeps how the suite is used, by events; whatever comes twice or out of order ends the same.
enum UsageEvents {
    /// Of auth: who registers, is there, asks for their data or is gone.
    static func apply(_ event: EventEnvelope, in transaction: Transaction) async throws {
        switch event.type {
        case UserRegistered.eventType:
            let user = try event.body(as: UserRegistered.self)
            guard user.roles.contains(.user), let day = Day(utc: user.registeredAt) else { return }
            try await transaction.execute(UsageStatements.register, user.userID, day)
            // The number that they are counted by; the events of a person come in order.
            try await transaction.execute(ReleaseStatements.number, [user.userID])
        case UserActive.eventType:
            let active = try event.body(as: UserActive.self)
            try await transaction.execute(
                UsageStatements.beActive,
                active.userID,
                active.day.month.firstDay,
                ActiveDays.bit(of: active.day)
            )
        case UserDataExported.eventType:
            let export = try event.body(as: UserDataExported.self)
            let file = UsedFile(user: export.userID, kind: .export, format: .data)
            try await use(file, at: event.time, in: transaction)
        case UserErased.eventType:
            let user = try event.body(as: UserErased.self)
            try await erase(user.userID, in: transaction)
        default: break
        }
    }

    /// Of the ledger and of groups: files, and who is in a group with others.
    static func apply(_ events: [EventEnvelope], in transaction: Transaction) async throws {
        var groups: [FirstStep] = []
        for event in events {
            switch event.type {
            case StatementImported.eventType:
                let body = try event.body(as: StatementImported.self)
                let format = UsedFileFormat(body.format)
                let file = UsedFile(user: body.userID, kind: .import, format: format)
                try await use(file, at: event.time, in: transaction)
            case StatementExported.eventType:
                let body = try event.body(as: StatementExported.self)
                let format = UsedFileFormat(body.format)
                let file = UsedFile(user: body.userID, kind: .export, format: format)
                try await use(file, at: event.time, in: transaction)
            case GroupImported.eventType:
                let body = try event.body(as: GroupImported.self)
                guard let format = body.format.map({ UsedFileFormat($0) }) else { continue }
                let file = UsedFile(user: body.importedBy, kind: .import, format: format)
                try await use(file, at: event.time, in: transaction)
            case GroupMemberJoined.eventType:
                let body = try event.body(as: GroupMemberJoined.self)
                if let step = FirstStep(body) { groups.append(step) }
            default: break
            }
        }
        try await FirstStep.note(groups, in: transaction)
    }

    private static func use(
        _ file: UsedFile,
        at moment: Instant,
        in transaction: Transaction
    ) async throws {
        guard let day = Day(utc: moment) else { return }
        try await transaction.execute(
            UsageStatements.useFile,
            file.user,
            day,
            file.kind.rawValue,
            file.format.rawValue
        )
    }

    /// Forgets what is here of a person; what releases have told stays, and they are a number in
    /// it, as `analytics.count_gone` makes them with the loss of theirs.
    ///
    /// Of files there may be any number.
    static func erase(_ user: ID<User>, in database: some Querying) async throws {
        try await database.execute(UsageStatements.forgetDays, user)
        try await database.execute(UsageStatements.forgetSteps, user)
        while try await database.execute(UsageStatements.forgetFiles, user, Self.chunk) > 0 {}
    }

    private static let chunk: Int32 = 5_000
}

/// A file that somebody took in or out.
private struct UsedFile {
    let user: ID<User>
    let kind: UsedFileKind
    let format: UsedFileFormat
}

extension UsedFileFormat {
    fileprivate init(_ format: StatementFormat) {
        self =
            switch format {
            case .csv: .csv
            case .ofx: .ofx
            case .camt053: .camt053
            case .mt940: .mt940
            case .qif: .qif
            }
    }

    fileprivate init(_ format: StatementFileType) {
        self =
            switch format {
            case .pdf: .pdf
            case .csv: .csv
            case .camt053: .camt053
            case .ofx: .ofx
            }
    }

    fileprivate init(_ format: GroupImportFormat) {
        self =
            switch format {
            case .splitwise: .splitwise
            case .tricount: .tricount
            case .spliit: .spliit
            case .sesterce: .sesterce
            case .cospend: .cospend
            case .splitpro: .splitpro
            case .ezwallet: .ezwallet
            }
    }
}
