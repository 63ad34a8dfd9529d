/// How large a picture is asked for.
public struct PictureQuery: QueryObject, Hashable {
    public let size: PictureSize

    public static let query = QueryFields(
        PictureQuery.init,
        QueryField("size", \.size, default: .large, about: "Pixels across and down: 64 or 512.")
    )
}

/// The sizes in which pictures are kept.
public enum PictureSize: String, StringEnum {
    /// 64 by 64 pixels.
    case small = "64"
    /// 512 by 512 pixels.
    case large = "512"
}

/// Pictures of people.
public enum Pictures {
    /// The largest upload.
    public static let bytesMax = 5 << 20

    /// Puts one's own picture in its place.
    public static let put = Endpoint<NoQuery, NoBody, NoView>(
        "putPicture",
        .put,
        "/v1/users/me/picture",
        of: .auth,
        for: .user,
        bodyLimit: bytesMax,
        request: .raw(["image/jpeg", "image/png", "image/webp"]),
        errors: [.unreadablePicture, .preconditionFailed],
        isTagged: true,
        summary: "Set one's picture",
        description: """
            JPEG, PNG or WebP, told by its bytes, up to 5 MiB and 50 megapixels. Kept are the \
            middle square at 512 and at 64 pixels, upright, as JPEG on white, without metadata.
            """
    )

    /// Takes one's own picture away.
    public static let delete = Endpoint<NoQuery, NoBody, NoView>(
        "deletePicture",
        .delete,
        "/v1/users/me/picture",
        of: .auth,
        for: .user,
        errors: [.preconditionFailed],
        summary: "Remove one's picture"
    )

    /// A person's picture, or the icon of who has none.
    public static let get = Endpoint<PictureQuery, NoBody, NoView>(
        "getPicture",
        .get,
        "/v1/users/{id}/picture",
        of: .auth,
        for: .user,
        response: .file(["image/jpeg", "image/svg+xml"]),
        statuses: [200],
        errors: [.notFound],
        isTagged: true,
        caching: .revalidated,
        summary: "A person's picture",
        description: """
            One's own, or of somebody with whom one shares something. Who has none has an icon. \
            `If-None-Match` with the `ETag` answers 304.
            """
    )

    /// Every public endpoint here.
    public static let all: [EndpointDescription] = [put.erased, delete.erased, get.erased]
}
