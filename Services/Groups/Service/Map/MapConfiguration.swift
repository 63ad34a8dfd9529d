import ServiceKit
import WalletProtocol

/// The settings of the map that clients draw: OpenStreetMap's own tiles where nothing is set.
enum MapVariables {
    static let tilesURL = Variable(
        "EZWALLET_MAP_TILES_URL",
        "where clients get the tiles of maps: https, with {z}, {x} and {y}",
        default: "https://tile.openstreetmap.org/{z}/{x}/{y}.png"
    )
    static let attribution = Variable(
        "EZWALLET_MAP_ATTRIBUTION",
        "whom clients name on their maps, in one line",
        default: "© OpenStreetMap contributors"
    )
    static let zoomMin = Variable(
        "EZWALLET_MAP_ZOOM_MIN",
        "smallest zoom that there are tiles of, not above the largest",
        kind: .integer(0...24),
        default: "0"
    )
    static let zoomMax = Variable(
        "EZWALLET_MAP_ZOOM_MAX",
        "largest zoom that there are tiles of",
        kind: .integer(0...24),
        default: "19"
    )

    static let all: [Variable] = [tilesURL, attribution, zoomMin, zoomMax]
}

/// What the settings come to.
struct MapConfiguration: Sendable {
    /// A setting that cannot be, in words for who has set it.
    struct Fault: Error, Sendable, CustomStringConvertible {
        let description: String
    }

    /// What clients are told.
    let view: MapView

    /// The longest template and attribution.
    static let charactersMax = 1_000

    /// Checks the settings, once at start.
    init(_ settings: Settings) throws(Fault) {
        let tiles = settings.text(MapVariables.tilesURL)
        let attribution = settings.text(MapVariables.attribution)
        guard Self.isTemplate(tiles) else {
            throw Fault(
                description: "\(MapVariables.tilesURL.name): https://… with {z}, {x} and {y}, and "
                    + "nothing else in braces, is needed"
            )
        }
        guard Self.isLine(attribution) else {
            throw Fault(
                description: "\(MapVariables.attribution.name): one line of up to "
                    + "\(Self.charactersMax) characters is needed"
            )
        }
        let zooms = (
            min: settings.integer(MapVariables.zoomMin),
            max: settings.integer(MapVariables.zoomMax)
        )
        guard zooms.min <= zooms.max else {
            throw Fault(
                description: "\(MapVariables.zoomMin.name): at most \(zooms.max), which "
                    + "\(MapVariables.zoomMax.name) is, is needed"
            )
        }
        view = MapView(
            tiles: tiles,
            attribution: attribution,
            minZoom: zooms.min,
            maxZoom: zooms.max
        )
    }

    /// What a URL may have beside letters and digits (RFC 3986, 2), and the braces.
    private static let marks = Set("-._~:/?[]@!$&'()*+,;=%{}")

    private static func isLetterOrDigit(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber)
    }

    /// Whether a client can make each tile's address of it: zoom, column and row stand behind the
    /// host, and nothing is in braces that no client has a value for.
    private static func isTemplate(_ text: String) -> Bool {
        let scheme = "https://"
        guard text.hasPrefix(scheme), text.utf8.count <= charactersMax,
            text.allSatisfy({ isLetterOrDigit($0) || marks.contains($0) })
        else { return false }
        let rest = text.dropFirst(scheme.count)
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        guard let first = host.first, isLetterOrDigit(first) || first == "[",
            !host.contains(where: { "@{}".contains($0) }),
            let names = placeholders(in: rest)
        else { return false }
        return Set(names) == ["z", "x", "y"]
    }

    /// What stands in braces; nil where they are not in pairs.
    private static func placeholders(in text: Substring) -> [Substring]? {
        var names: [Substring] = []
        var rest = text
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
                return nil
            }
            names.append(rest[rest.index(after: open)..<close])
            rest = rest[rest.index(after: close)...]
        }
        return names
    }

    private static func isLine(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return scalars.count <= charactersMax
            && scalars.contains { !$0.properties.isWhitespace }
            && !scalars.contains { scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: true
                default: false
                }
            }
    }
}
