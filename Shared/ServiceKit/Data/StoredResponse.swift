public import WalletProtocol

/// The refusal of an earlier call under the same key.
struct KeptRefusal: Error {
    let error: APIError
}

/// A response as it is stored with its key, and whom its view mentions.
struct StoredResponse {
    let text: String
    /// Identifiers and folded addresses, one a line; nil where the view mentions the caller only.
    ///
    /// An erasure finds the response by them. Then it has no body, and status, `Location` and
    /// `ETag` stay.
    let people: String?

    init<View>(
        _ response: Response<View>,
        under scope: IdempotencyScope
    ) throws(APIError) {
        let written = response.written
        text = JSON.text(try Parts(written))
        // The caller's own responses go with the caller's keys.
        let others = written.people.filter { !scope.scope.hasPrefix($0 + " ") }
        people = others.isEmpty ? nil : others.sorted().joined(separator: "\n")
    }

    init(refusing error: APIError) {
        text = JSON.text(Parts(refusing: error))
        people = nil
    }

    /// The response as it is replayed.
    /// - Throws: `KeptRefusal`, where it was one.
    static func response<View>(of text: String) throws -> Response<View> {
        let bytes = Array(text.utf8)
        let kept = try JSON.read(Parts.self, from: bytes, ignoringUnknownFields: true)
        if let refusal = kept.refusal { throw KeptRefusal(error: refusal.refusal) }
        return Response(
            repeating: kept.status,
            kept.body.map { Array($0.utf8) },
            at: kept.location,
            kept.version
        )
    }

    private struct Parts: JSONObject {
        let status: Int
        let location: String?
        let version: String?
        /// The view as it was written; `ErasedUserStatements.emptyAnswers` names this member.
        let body: String?
        let refusal: Problem?

        static let json = Object(
            Parts.init(status:location:version:body:refusal:),
            Field("status", \.status),
            Field("location", \.location),
            Field("version", \.version),
            Field("body", \.body),
            Field("refusal", \.refusal)
        )

        private init(
            status: Int,
            location: String?,
            version: String?,
            body: String?,
            refusal: Problem?
        ) {
            self.status = status
            self.location = location
            self.version = version
            self.body = body
            self.refusal = refusal
        }

        init<View>(_ response: Response<View>) throws(APIError) {
            let body: String?
            switch response.content {
            case .none: body = nil
            case .view(let view): body = JSON.text(view)
            case .written(let bytes): body = String(decoding: bytes, as: UTF8.self)
            // No call that has a key answers with a file.
            case .bytes, .stream: throw APIError(.internalError)
            }
            self.init(
                status: response.status,
                location: response.location,
                version: response.version,
                body: body,
                refusal: nil
            )
        }

        init(refusing error: APIError) {
            self.init(
                status: error.code.status,
                location: nil,
                version: nil,
                body: nil,
                refusal: Problem(error)
            )
        }
    }
}

extension APIError {
    /// Whether the same call again is to be refused in the same way, whatever has changed since.
    public var isKept: Bool {
        code.status < 500 && ![401, 403, 408, 412, 429].contains(code.status)
            && code != .idempotencyKeyReused && code != .idempotencyKeyInUse
    }
}

extension Problem {
    /// The refusal that it was made from.
    fileprivate var refusal: APIError {
        let code = ErrorCode.named(self.code) ?? ErrorCode(self.code, status, title)
        return APIError(code, detail, errors: errors, members: members)
    }
}
