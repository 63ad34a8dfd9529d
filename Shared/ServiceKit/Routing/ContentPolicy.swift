/// What a page may do that an answer is opened as: nothing (CSP level 3).
public enum ContentPolicy {
    /// JSON loads nothing and stands in no frame.
    public static let json = "default-src 'none'; frame-ancestors 'none'"
    /// A file that somebody sent may not run as a page of ours either.
    public static let file = json + "; sandbox"
    /// A drawing of ours has its own styles.
    public static let drawing = file + "; style-src 'unsafe-inline'"
}
