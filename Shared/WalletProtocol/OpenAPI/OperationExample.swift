/// One call of an operation, with its success, for the document.
public struct OperationExample: JSONObject, Hashable {
    /// The status of the response.
    public let status: Int
    /// The body of the request, where it is JSON.
    public let request: JSONTree?
    /// The body of the response, where it is JSON.
    public let response: JSONTree?

    public static let json = Object(
        OperationExample.init,
        Field("status", \.status),
        Field("request", \.request),
        Field("response", \.response)
    )
}
