import HTTP
import ServiceKit
import Text

/// Where a session is opened from: as much as its owner needs to know it again, and no more.
///
/// Neither the address nor the whole `User-Agent` is kept: both tell a person apart.
struct Device: Sendable {
    /// What it is called in the list of devices: «Firefox on Linux».
    let name: String
    /// `IPv4` or `IPv6`.
    let addressFamily: String
    /// The address, for counting attempts within this request.
    let address: String

    static let nameCharactersMax = 40

    init(name: String, address: String) {
        self.name = name
        self.address = address
        addressFamily = Self.family(of: address)
    }

    init<Query, Body>(_ request: Request<Query, Body>) {
        self.init(
            name: Self.name(of: request.http.head.text(.userAgent) ?? ""),
            address: request.clientAddress
        )
    }

    static func family(of address: String) -> String {
        address.utf8.contains(UInt8(ascii: ":")) ? "IPv6" : "IPv4"
    }

    /// Program and system of a `User-Agent` (RFC 9110, 10.1.5), where they are known.
    ///
    /// The order matters: nearly all browsers claim to be those before them.
    static func name(of userAgent: String) -> String {
        func first(_ marks: [(mark: String, name: String)]) -> String? {
            marks.first { userAgent.utf8.range(of: $0.mark) != nil }?.name
        }
        let system = first(systems)
        let program = first(programs) ?? product(of: userAgent)
        return switch (program, system) {
        case (let program?, let system?): "\(program) on \(system)"
        case (let name?, nil), (nil, let name?): name
        case (nil, nil): "Unknown device"
        }
    }

    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
        ("CrOS", "ChromeOS"), ("Macintosh", "macOS"), ("Darwin", "macOS"), ("Linux", "Linux"),
    ]
    private static let programs = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"),
        ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"),
        ("Chromium/", "Chromium"), ("HeadlessChrome/", "Chrome"), ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]

    /// The first product's name: letters, digits and a few signs of a token, a bounded number.
    private static func product(of userAgent: String) -> String? {
        let bytes = userAgent.utf8.prefix { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                || (0x61...0x7a).contains(byte) || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
        }
        let name = String(decoding: bytes.prefix(nameCharactersMax), as: UTF8.self)
        return name.isEmpty || name == "Mozilla" ? nil : name
    }
}
