internal import Glibc
internal import HTTP
internal import Loops
internal import Messaging
internal import Postgres
internal import Synchronization
internal import WalletProtocol

/// Runs an executable from its first line to its last.
///
///     settings ─▶ loops ─▶ admin port ─▶ wiring of each loop ─▶ workers ─▶ requests
///     SIGTERM: readiness off ─▶ pause ─▶ no new connections ─▶ requests ─▶ workers ─▶ end
public enum Service {
    /// The suite's version.
    public static let version = "0.1.0"

    /// Runs what the command line asks for; does not return.
    public static func main(_ definition: ServiceDefinition) -> Never {
        ignoreBrokenPipes()
        raiseDescriptorLimit()
        returnLargeBlocksToSystem()
        let arguments = Array(CommandLine.arguments.dropFirst())
        let variables = CommonVariables.all + definition.variables
        if arguments.contains("--help") || arguments.contains("-h") {
            writeText(help(definition, variables), to: 1)
            exit(0)
        }
        if arguments.contains("--version") {
            writeText("ezwallet-\(definition.name.rawValue) \(version)\n", to: 1)
            exit(0)
        }
        let settings: Settings
        do {
            settings = try Settings(variables, environment: processEnvironment())
        } catch {
            writeText("ezwallet-\(definition.name.rawValue):\n\(error)\n", to: 2)
            exit(78)
        }
        let runner = ServiceRunner(definition, settings: settings)
        switch arguments.first {
        case nil: runner.run()
        case "migrate"?: runner.runOnce { actor, runner in try await runner.migrate(actor) }
        case let word?:
            guard let command = definition.commands.first(where: { $0.name == word }) else {
                writeText("unknown command \(word); see --help\n", to: 2)
                exit(64)
            }
            runner.runOnce { actor, runner in
                let service = try runner.makeLoop(actor)
                try await command.run(actor, service, Array(arguments.dropFirst()))
                service.database.close()
            }
        }
    }

    private static func help(_ definition: ServiceDefinition, _ variables: [Variable]) -> String {
        let name = "ezwallet-\(definition.name.rawValue)"
        var text = "usage: \(name) [command]\n\ncommands:\n"
        text += "  (none)   serve\n  migrate  bring the database's schema up to date\n"
        for command in definition.commands { text += "  \(command.name)  \(command.help)\n" }
        return text + "\nenvironment (name, default, meaning):\n" + helpTable(variables) + "\n"
    }
}
