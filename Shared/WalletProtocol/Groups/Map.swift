/// The map service that clients draw places with.
public struct MapView: JSONObject, Hashable {
    /// The address of a tile, with `{z}`, `{x}` and `{y}` in place of its zoom, column and row.
    public let tiles: String
    /// Whom a map has to name.
    public let attribution: String
    /// The smallest zoom that there are tiles of.
    public let minZoom: Int
    /// The largest zoom that there are tiles of.
    public let maxZoom: Int

    /// All of it.
    public init(tiles: String, attribution: String, minZoom: Int, maxZoom: Int) {
        self.tiles = tiles
        self.attribution = attribution
        self.minZoom = minZoom
        self.maxZoom = maxZoom
    }

    /// The description.
    public static let json = Object(
        MapView.init,
        Field("tiles", \.tiles, about: "A URL with {z}, {x} and {y} in it."),
        Field("attribution", \.attribution, about: "To be shown on every map."),
        Field("minZoom", \.minZoom),
        Field("maxZoom", \.maxZoom)
    )
}

/// What maps are drawn with.
public enum Maps {
    /// The configured service.
    public static let get = Endpoint<NoQuery, NoBody, MapView>(
        "getMap",
        .get,
        "/v1/map",
        of: .groups,
        for: .user,
        summary: "The map service that clients draw places with"
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [get.erased]
}
