public import CEmbedded
internal import Crypto
internal import Loops
public import Postgres

/// A file compiled into the executable.
public struct EmbeddedFile: Sendable {
    /// Its name within its folder.
    public let name: String
    /// Its bytes.
    public let bytes: [UInt8]

    /// A file.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

/// Why the schema could not be brought up to date.
public enum MigrationError: Error, Sendable {
    /// A file that has run was changed since.
    case changed(String)
    /// A file failed.
    case failed(String, any Error)
}

/// Brings a database's schema up to date: each file once, in order of name, by the owner's role.
///
/// Replicas may start at once: one migrates, the others poll for the lock (waiting inside
/// `pg_advisory_lock` would deadlock with CREATE INDEX CONCURRENTLY). A file runs in one
/// transaction, unless its first line is `-- no transaction`. A replica runs beside a newer schema,
/// and refuses one of whose files a checksum has changed; a file names the checksums of its former
/// texts that left the same schema (`EmbeddedFile.formerChecksums`).
///
/// A file takes as long as it takes, and so does the wait for another replica that migrates. A
/// cancelled task ends the statement under way at the server, whose transaction rolls back.
public struct Migrations: Sendable {
    let files: [EmbeddedFile]
    let settings: [(name: String, value: String)]
    /// Told what has not ended yet, and since when.
    let report: @Sendable (String) -> Void
    /// How often it is told.
    var reportNanoseconds: UInt64 = 10_000_000_000

    /// No deadline of the client: a year.
    private static let waitMillisecondsMax: UInt64 = 365 * 24 * 3_600_000

    /// Migrations and the settings (`ezwallet.service_role`) that they read.
    public init(
        files: [EmbeddedFile],
        settings: [(name: String, value: String)],
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.files = files.sorted { $0.name < $1.name }
        self.settings = settings
        self.report = report
    }

    /// Runs what has not run yet, with a database opened by the owner.
    /// - Returns: the names of the files that were run.
    public func run(on database: Database) async throws -> [String] {
        try await database.lease { lease in
            lease.waitMillisecondsMax = Self.waitMillisecondsMax
            try await lock(lease, on: database.loop)
            var done: [String] = []
            do {
                try await lease.execute(MigrationStatements.createTable)
                try await lease.execute(MigrationStatements.grantRead)
                let applied = Dictionary(
                    try await lease.query(MigrationStatements.applied)
                ) { first, _ in first }
                for file in files {
                    let checksum = hexadecimal(SHA256.digest(file.bytes))
                    if let old = applied[file.name] {
                        guard old == checksum || file.formerChecksums.contains(old) else {
                            throw MigrationError.changed(file.name)
                        }
                        continue
                    }
                    try await apply(file, checksum: checksum, on: lease, loop: database.loop)
                    done.append(file.name)
                }
            } catch {
                _ = try? await lease.query(MigrationStatements.unlock)
                throw error
            }
            _ = try await lease.query(MigrationStatements.unlock)
            return done
        }
    }

    /// Whether every file of ours has run (a newer schema is fine).
    public func areApplied(on database: Database) async -> Bool {
        guard let rows = try? await database.query(MigrationStatements.applied) else {
            return false
        }
        let applied = Dictionary(rows) { first, _ in first }
        return files.allSatisfy { applied[$0.name] != nil }
    }

    private func lock(_ lease: LeasedConnection, on loop: EventLoop) async throws {
        let progress = progress(of: "another process migrates the database", on: loop)
        defer { progress.end() }
        while try await lease.queryOne(MigrationStatements.tryLock) != true {
            try await loop.sleep(nanoseconds: 100_000_000)
        }
    }

    private func progress(of what: String, on loop: EventLoop) -> MigrationProgress {
        MigrationProgress(of: what, each: reportNanoseconds, on: loop, report: report)
    }

    private func apply(
        _ file: EmbeddedFile,
        checksum: String,
        on lease: LeasedConnection,
        loop: EventLoop
    ) async throws {
        guard let script = file.script else {
            throw MigrationError.failed(file.name, SealBroken())
        }
        let progress = progress(of: "\(file.name) runs", on: loop)
        defer { progress.end() }
        for attempt in 1... {
            do {
                for setting in settings {
                    _ = try await lease.query(
                        MigrationStatements.set,
                        setting.name,
                        setting.value
                    )
                }
                _ = try await lease.query(MigrationStatements.set, "lock_timeout", "2s")
                _ = try await lease.query(MigrationStatements.set, "statement_timeout", "0")
                let standsAlone = file.bytes.starts(with: "-- no transaction".utf8)
                if !standsAlone { try await lease.executeScript(SQLScript("begin")) }
                do {
                    try await lease.executeScript(script)
                    try await lease.execute(MigrationStatements.record, file.name, checksum)
                    if !standsAlone { try await lease.executeScript(SQLScript("commit")) }
                } catch {
                    if !standsAlone { try? await lease.executeScript(SQLScript("rollback")) }
                    throw error
                }
                return
            } catch let error as DatabaseError where error.isRetryable && attempt < 10 {
                try await loop.sleep(nanoseconds: 200_000_000)
            } catch { throw MigrationError.failed(file.name, error) }
        }
    }
}

extension EmbeddedFile {
    /// The checksums of former texts of this file that left the same schema.
    ///
    /// Where one of them has run, this file has. They stand in the comment that opens it, as
    /// `-- formerly CHECKSUM`.
    var formerChecksums: Set<String> {
        let opening = String(decoding: bytes.prefix(4_096), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { $0.hasPrefix("--") }
        return Set(opening.filter { $0.hasPrefix("-- formerly ") }.map { String($0.dropFirst(12)) })
    }

    fileprivate var script: SQLScript? {
        unsafe bytes.withUnsafeBufferPointer { unsafe SQLScript(embedded: $0) }
    }
}

// Safety: the files are constants of the executable; `count` is the list's own.
/// Reads a C target's list of embedded files, or those of this name alone.
public func embeddedFiles(
    _ files: UnsafePointer<embedded_file>,
    count: Int,
    named wanted: String? = nil
) -> [EmbeddedFile] {
    (0..<count).compactMap { index in
        let file = unsafe files[index]
        let name = unsafe String(cString: file.name)
        if let wanted, name != wanted { return nil }
        let bytes = unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.length))
        return EmbeddedFile(name: name, bytes: bytes)
    }
}
