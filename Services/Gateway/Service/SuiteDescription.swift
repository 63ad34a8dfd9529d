import GatewayExamples
import ServiceKit
import Synchronization
import WalletProtocol

/// The suite's description, written once, when somebody first asks for it.
///
/// Most gateways are never asked: a text of 140 kB, and ten times as much while it is made.
final class SuiteDescription: Sendable {
    private let written = Mutex<[UInt8]?>(nil)
    private let write: @Sendable () -> [UInt8]

    init(_ write: @escaping @Sendable () -> [UInt8]) {
        self.write = write
    }

    /// Of these endpoints.
    convenience init(of endpoints: [EndpointDescription]) {
        self.init {
            JSON.write(
                OpenAPI.document(
                    title: "EZWallet",
                    version: Service.version,
                    endpoints: endpoints,
                    examples: Self.examples
                )
            )
        }
    }

    // Safety: the file is a constant of the executable, with its own count.
    /// The committed examples; `deploy/examples` records them.
    private static var examples: [String: OperationExample] {
        let files = unsafe embeddedFiles(gateway_examples, count: gateway_examples_count)
        return files.reduce(into: [:]) { examples, file in
            let read = try? JSON.read([String: OperationExample].self, from: file.bytes)
            examples.merge(read ?? [:]) { _, later in later }
        }
    }

    /// JSON.
    var bytes: [UInt8] {
        written.withLock { bytes in
            let made = bytes ?? write()
            bytes = made
            return made
        }
    }
}
