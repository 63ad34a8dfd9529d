import ServiceKit
import Testing
import WalletProtocol

@testable import GroupsService

/// The settings of the map.
@Suite struct MapTests {
    private static let tiles = "EZWALLET_MAP_TILES_URL"
    private static let attribution = "EZWALLET_MAP_ATTRIBUTION"
    private static let zoomMin = "EZWALLET_MAP_ZOOM_MIN"
    private static let zoomMax = "EZWALLET_MAP_ZOOM_MAX"

    private func configuration(_ environment: [String: String]) throws -> MapConfiguration {
        try MapConfiguration(try Settings(MapVariables.all, environment: environment))
    }

    @Test func itIsOpenStreetMapsWhereNothingIsSet() throws {
        let expected = MapView(
            tiles: "https://tile.openstreetmap.org/{z}/{x}/{y}.png",
            attribution: "© OpenStreetMap contributors",
            minZoom: 0,
            maxZoom: 19
        )
        #expect(try configuration([:]).view == expected)
        // An empty variable is none.
        #expect(try configuration([Self.tiles: "", Self.attribution: ""]).view == expected)
    }

    @Test(arguments: [
        "https://tiles.example.org/{z}/{x}/{y}.png",
        "https://tiles.example.org:8443/a/{z}-{y}-{x}@2x.webp?key=abc%20d",
        "https://[2001:db8::1]/?z={z}&x={x}&y={y}", "https://h?{x}{y}{z}{z}",
    ])
    func aTemplateOfAnotherServiceIsTold(template: String) throws {
        let told = try configuration([
            Self.tiles: template, Self.attribution: "Città & <co>", Self.zoomMin: "24",
            Self.zoomMax: "24",
        ]).view
        #expect(told.tiles == template && told.attribution == "Città & <co>")
        #expect(told.minZoom == 24 && told.maxZoom == 24)
    }

    @Test(arguments: [
        "http://h/{z}/{x}/{y}.png", "HTTPS://h/{z}/{x}/{y}", "h/{z}/{x}/{y}", "https://",
        "https:///{z}/{x}/{y}", "https://h/{z}/{x}/y", "https://h/{z}/{y}", "https://h/{x}/{y}",
        "https://{s}.h/{z}/{x}/{y}", "https://{z}/{x}/{y}", "https://h/{s}/{z}/{x}/{y}",
        "https://h/{z}/{x}/{y}{r}.png", "https://h/{Z}/{x}/{y}", "https://h/{z}/{x}/{y",
        "https://h/{z}/{x}/y}{y}", "https://h/{{z}}/{x}/{y}", "https://h/{}{z}/{x}/{y}",
        "https://me:word@h/{z}/{x}/{y}", "https://h/{z}/{x}/{y} ", "https://h/{z}/{x}/{y}\n",
        "https://h/\"{z}/{x}/{y}", "https://h/{z}/{x}/{y}#a", "https://h/ü/{z}/{x}/{y}",
        "https://h/{z}/{x}/{y}" + String(repeating: "a", count: MapConfiguration.charactersMax),
    ])
    func aBadTemplateStopsTheStart(template: String) throws {
        let fault = #expect(throws: MapConfiguration.Fault.self) {
            try configuration([Self.tiles: template])
        }
        #expect(fault?.description.hasPrefix(Self.tiles) == true)
    }

    @Test(arguments: [
        " ", "a\nb", "a\u{7}", "a\u{2028}b",
        String(repeating: "a", count: MapConfiguration.charactersMax + 1),
    ])
    func aBadAttributionStopsTheStart(attribution: String) throws {
        let fault = #expect(throws: MapConfiguration.Fault.self) {
            try configuration([Self.attribution: attribution])
        }
        #expect(fault?.description.hasPrefix(Self.attribution) == true)
    }

    @Test(arguments: ["-1", "25", "x", "1.5"])
    func aBadZoomStopsTheStart(zoom: String) {
        let fault = #expect(throws: ConfigurationError.self) {
            try configuration([Self.zoomMax: zoom])
        }
        #expect(fault?.description.hasPrefix(Self.zoomMax) == true)
    }

    @Test func theSmallestZoomIsNotAboveTheLargest() throws {
        let fault = #expect(throws: MapConfiguration.Fault.self) {
            try configuration([Self.zoomMin: "6", Self.zoomMax: "5"])
        }
        #expect(fault?.description.hasPrefix(Self.zoomMin) == true)
    }
}
