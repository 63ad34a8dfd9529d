@_exported public import JSONCodec

extension JSON {
    /// Reads a body.
    /// - Throws: 400 `malformed-json`, or 422 `invalid-body` naming every bad field.
    public static func read<Value: JSONValue>(
        _ type: Value.Type = Value.self,
        from bytes: [UInt8],
        ignoringUnknownFields: Bool = false
    ) throws(APIError) -> Value {
        do throws(JSONFault) {
            return try value(type, of: bytes, ignoringUnknownFields: ignoringUnknownFields)
        } catch {
            switch error {
            case .malformed(let malformed): throw APIError(malformed)
            case .invalid(let errors): throw APIError(.invalidBody, errors: errors)
            }
        }
    }
}
