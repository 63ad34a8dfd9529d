public import Loops
public import WalletProtocol

/// A command's failure with an exit status of its own.
public protocol CommandFailure: Error {
    /// What the executable exits with.
    var exitStatus: Int32 { get }
}

/// What makes one executable: its settings, its schema, and the wiring of one loop.
public struct ServiceDefinition: Sendable {
    /// A command of the executable's own: `ezwallet-auth create-user`.
    public struct Command: Sendable {
        /// The word on the command line.
        public let name: String
        /// One line for `--help`.
        public let help: String
        /// Runs it; what it throws is printed, and the executable exits with 1, or what a
        /// `CommandFailure` says.
        public let run: @Sendable (isolated LoopActor, ServiceLoop, [String]) async throws -> Void

        /// A command.
        public init(
            _ name: String,
            help: String,
            run:
                @escaping @Sendable (isolated LoopActor, ServiceLoop, [String]) async throws
                -> Void
        ) {
            self.name = name
            self.help = help
            self.run = run
        }
    }

    /// Which service it is.
    public let name: ServiceName
    /// Its own settings, beside those that every service has.
    public let variables: [Variable]
    /// Its schema's files.
    public let migrations: [EmbeddedFile]
    /// Further settings that the migrations read.
    public let migrationSettings: @Sendable (Settings) -> [(name: String, value: String)]
    /// Its own commands.
    public let commands: [Command]
    /// Whether its shared connections plan without bitmaps: `DatabaseConfiguration` says why.
    public let avoidsBitmaps: Bool
    /// Makes one loop's stores, workers and routes.
    public let wire: @Sendable (isolated LoopActor, ServiceLoop) async throws -> Void

    /// A service.
    public init(
        _ name: ServiceName,
        variables: [Variable] = [],
        migrations: [EmbeddedFile],
        migrationSettings: @escaping @Sendable (Settings) -> [(name: String, value: String)] = {
            _ in []
        },
        commands: [Command] = [],
        avoidsBitmaps: Bool = false,
        wire: @escaping @Sendable (isolated LoopActor, ServiceLoop) async throws -> Void
    ) {
        self.name = name
        self.variables = variables
        self.migrations = migrations
        self.avoidsBitmaps = avoidsBitmaps
        self.migrationSettings = migrationSettings
        self.commands = commands
        self.wire = wire
    }
}
