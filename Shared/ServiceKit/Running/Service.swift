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
        let variables = CommonVariables.all + definition.variables
        let settings = Executable.settings(of: definition.name, variables, usage: usage(definition))
        let arguments = Array(CommandLine.arguments.dropFirst())
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

    private static func usage(_ definition: ServiceDefinition) -> String {
        var text = "usage: ezwallet-\(definition.name.rawValue) [command]\n\ncommands:\n"
        text += "  (none)   serve\n  migrate  bring the database's schema up to date"
        for command in definition.commands { text += "\n  \(command.name)  \(command.help)" }
        return text
    }
}
