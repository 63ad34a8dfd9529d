/// The map service that clients draw places with.
public struct MapView: JSONObject, Hashable {
    public let tiles: String
    public let attribution: String
    public let minZoom: Int
    public let maxZoom: Int

    public init(tiles: String, attribution: String, minZoom: Int, maxZoom: Int) {
        self.tiles = tiles
        self.attribution = attribution
        self.minZoom = minZoom
        self.maxZoom = maxZoom
    }

    public static let json = Object(
        MapView.init,
        Field(
            "tiles",
            \.tiles,
            about: """
                The address of a tile, with `{z}`, `{x}` and `{y}` in place of its zoom, column \
                and row.
                """
        ),
        Field(
            "attribution",
            \.attribution,
            about: "Whom a map has to name. To be shown on every map."
        ),
        Field("minZoom", \.minZoom, about: "The smallest zoom that there are tiles of."),
        Field("maxZoom", \.maxZoom, about: "The largest zoom that there are tiles of.")
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
