import Testing

@testable import ServiceKit

@Suite struct SettingsTests {
    private let port = Variable(
        "EZWALLET_PORT_X",
        "a port",
        kind: .integer(1...10),
        default: "5"
    )
    private let secret = Variable("EZWALLET_SECRET_X", "a secret", required: true, secret: true)
    private let word = Variable("EZWALLET_WORD_X", "a word", kind: .choice(["a", "b"]))

    @Test func everyFaultIsToldAtOnce() {
        let environment = ["EZWALLET_PORT_X": "11", "EZWALLET_WORD_X": "c"]
        do {
            _ = try Settings([port, secret, word], environment: environment)
            Issue.record("accepted")
        } catch { #expect(error.faults.count == 3, "\(error)") }
    }

    @Test func aSecretMayComeFromAFileButNotFromBoth() throws {
        let path = "/etc/hostname"
        let settings = try Settings([secret], environment: ["EZWALLET_SECRET_X_FILE": path])
        let value = settings.text(secret)
        #expect(!value.isEmpty && value.last?.isNewline == false)
        do {
            _ = try Settings(
                [secret],
                environment: ["EZWALLET_SECRET_X_FILE": path, "EZWALLET_SECRET_X": "y"]
            )
            Issue.record("accepted")
        } catch { #expect(error.faults.count == 1) }
    }

    @Test func aSecretThatCanBeGuessedIsRefused() throws {
        let keys = Variable("EZWALLET_KEYS_X", "keys", kind: .secrets, required: true)
        let long = String(repeating: "k", count: Variable.secretCharactersMin)
        let two = try Settings([keys], environment: ["EZWALLET_KEYS_X": "\(long)1, \(long)2"])
        #expect(two.secrets(keys) == [long + "1", long + "2"])
        #expect(two.secret(keys) == long + "1")
        for bad in [String(long.dropLast()), long + ",short", ",", " , "] {
            #expect(throws: ConfigurationError.self) {
                try Settings([keys], environment: ["EZWALLET_KEYS_X": bad])
            }
        }
    }

    @Test func whatIsLeftOutHasItsDefault() throws {
        let settings = try Settings([port, word], environment: ["EZWALLET_WORD_X": ""])
        #expect(settings.integer(port) == 5)
        #expect(settings.optional(word) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:80", "127.0.0.1", 80), ("localhost:1", "127.0.0.1", 1), ("[::1]:8", "::1", 8),
    ])
    func addressesAreHostAndPort(text: String, host: String, number: Int) {
        let address = splitAddress(text)
        #expect(address?.host == host && address?.port == number)
    }

    @Test(arguments: ["", "host", "host:", ":80", "host:70000", "host:x"])
    func otherTextsAreNoAddress(text: String) {
        let address = splitAddress(text)
        #expect(address == nil)
    }

    @Test func theHelpTableNeverShowsASecretsValue() {
        let table = helpTable([secret, port])
        #expect(table.contains("EZWALLET_SECRET_X_FILE"))
        #expect(table.split(separator: "\n").count == 2)
    }
}

@Suite struct TraceParentTests {
    @Test func aGoodHeaderIsReadAndItsChildKeepsTheTrace() throws {
        let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let parent = try #require(TraceParent(text))
        #expect(parent.text == text)
        let child = parent.child()
        #expect(child.traceID == parent.traceID && child.spanID != parent.spanID)
        #expect(TraceParent(TraceParent.new().text) != nil)
    }

    @Test(arguments: [
        "", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
        "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
    ])
    func aBadHeaderIsNone(text: String) {
        let parent = TraceParent(text)
        #expect(parent == nil)
    }
}

@Suite struct MetricsTests {
    @Test func thePageCountsAndSumsWhatWasSeen() {
        let metrics = Metrics()
        metrics.counter("ezwallet_x_total", "X.", labels: "a=\"b\"").add(3)
        metrics.gauge("ezwallet_y", "Y.").set(-2)
        let histogram = metrics.histogram("ezwallet_z_seconds", "Z.")
        histogram.observe(nanoseconds: 500_000)
        histogram.observe(nanoseconds: 20_000_000_000)
        let page = metrics.render()
        for line in [
            "ezwallet_x_total{a=\"b\"} 3", "ezwallet_y -2", "# TYPE ezwallet_y gauge",
            "ezwallet_z_seconds_bucket{le=\"0.001\"} 1",
            "ezwallet_z_seconds_bucket{le=\"+Inf\"} 2", "ezwallet_z_seconds_count 2",
        ] {
            #expect(page.split(separator: "\n").contains(Substring(line)), "\(line)")
        }
    }
}
