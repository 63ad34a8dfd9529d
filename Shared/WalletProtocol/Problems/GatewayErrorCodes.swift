// What is refused before anybody knows whose call it is.
extension ErrorCode {
    /// The method is nobody's.
    public static let notImplemented = ErrorCode("not-implemented", 501, "Nobody has this method")
    /// What the request expects is not done here.
    public static let expectationFailed = ErrorCode(
        "expectation-failed",
        417,
        "The expectation cannot be met"
    )
    /// Not HTTP/1.1 or 1.0.
    public static let versionNotSupported = ErrorCode(
        "http-version-not-supported",
        505,
        "This version of HTTP is not spoken here"
    )
}
