import HTTP

@testable import ServiceKit
@testable import WalletProtocol

// Every endpoint of the catalogue: the first two bytes choose one, the rest is what is sent.

extension FuzzTarget {
    static let endpoints = [
        FuzzTarget(
            "endpoint-bodies",
            words: jsonWords,
            growths: [Growth("\0\0{", numbered: "\"a", "\":1,", "\"z\":1}")],
            seeds: { Catalogue.all.seeds(\.body) { JSON.write($0) } },
            check: { bytes in
                try ask(bytes) { endpoint, rest throws in
                    try read(endpoint.types.body, rest, ignoringUnknownFields: false)
                }
            }
        ),
        FuzzTarget(
            "endpoint-views",
            words: jsonWords,
            seeds: { Catalogue.all.seeds(\.view) { JSON.write($0) } },
            check: { bytes in
                try ask(bytes) { endpoint, rest throws in
                    try read(endpoint.types.view, rest, ignoringUnknownFields: true)
                }
            }
        ),
        FuzzTarget(
            "endpoint-queries",
            words: ["&", "=", "+", "%", "%2B", "%c3%bc", "%00", "cursor=", "limit=", "from="],
            growths: [
                Growth("\0\0", "&"), Growth("\0\0", "a&"), Growth("\0\0", "%61"),
                Growth("\0\0", numbered: "a", "=1&"),
                Growth("\0\0", "accountId=0190163d-8694-739b-aea5-966c26f8ad90&"),
            ],
            seeds: { querySeeds(Catalogue.all) },
            check: { bytes in
                try ask(bytes) { endpoint, rest throws in
                    let text = String(decoding: rest, as: UTF8.self)
                    try read(query: endpoint.types.query, text)
                }
            }
        ),
        FuzzTarget(
            "endpoint-paths",
            words: [
                "/", "%2f", "%2e", "..", "/v1/", "{id}", "0190163d-8694-739b-aea5-966c26f8ad90/",
            ],
            growths: [
                Growth("/v1/accounts/", "%61"), Growth("/v1/accounts", "/"),
                Growth("/v1/accounts", "/a"), Growth("/v1/accounts/", "é"),
            ],
            seeds: {
                Catalogue.all.map { endpoint in
                    let names = endpoint.path.parameterNames
                    let values = names.map { ($0, "0190163d-8694-739b-aea5-966c26f8ad90") }
                    let path = endpoint.path.path(Dictionary(uniqueKeysWithValues: values))
                    return Array(path.utf8)
                }
            },
            check: { try route(String(decoding: $0, as: UTF8.self)) }
        ),
    ]

    /// Whether an example is read, which a mutation of it may then be, too.
    public static func isTaken(_ seed: [UInt8], by name: String) -> Bool {
        let rest = Array(seed.dropFirst(2))
        let endpoint = Catalogue.all[(Int(seed[0]) << 8 | Int(seed[1])) % Catalogue.all.count]
        func isRead<Value: JSONValue>(_ type: Value.Type) -> Bool {
            let isOpen = name == "endpoint-views"
            return (try? JSON.read(Value.self, from: rest, ignoringUnknownFields: isOpen)) != nil
        }
        func isRead<Query: QueryObject>(query: Query.Type) -> Bool {
            (try? Query.read(query: String(decoding: rest, as: UTF8.self))) != nil
        }
        func isEvent<Body: EventBody>(_ type: Body.Type) -> Bool {
            let envelope = try? EventEnvelope.read(seed)
            return (try? envelope?.body(as: Body.self)) != nil
        }
        switch name {
        case "endpoint-bodies": return isRead(endpoint.types.body)
        case "endpoint-views": return isRead(endpoint.types.view)
        case "endpoint-queries": return isRead(query: endpoint.types.query)
        default: return eventTypes.contains { isEvent($0) }
        }
    }

    static let jsonWords = [
        "{", "}", "[", "]", ",", ":", "\"", "\"\"", "null", "true", "false", "\\u0000", "\\ud800",
        "\\ud83d\\ude00", "\\\\", "{}", "[]", "[[[[[[[[[[", "{\"a\":", "1.0", "1e2", "-", "\\/",
        "{\"amount\":\"1.00\",\"currency\":\"EUR\"}", "\"2024-02-29\"", "\"~0~1/\"",
    ]

    private static func ask(
        _ bytes: [UInt8],
        _ read: (EndpointDescription, [UInt8]) throws -> Void
    ) throws {
        guard bytes.count >= 2 else { return }
        let number = Int(bytes[0]) << 8 | Int(bytes[1])
        let endpoint = Catalogue.all[number % Catalogue.all.count]
        do {
            try read(endpoint, Array(bytes.dropFirst(2)))
        } catch let fault as FuzzFault {
            throw FuzzFault(description: "\(endpoint.name): \(fault)")
        }
    }

    /// Reads it twice: as it came, and as we would write it.
    static func read<Value: JSONValue>(
        _ type: Value.Type,
        _ bytes: [UInt8],
        ignoringUnknownFields isOpen: Bool
    ) throws {
        // Neither is ever sent.
        if type == NoBody.self || type == NoView.self { return }
        let value: Value
        do throws(APIError) {
            value = try JSON.read(Value.self, from: bytes, ignoringUnknownFields: isOpen)
        } catch {
            return try judge(error, among: [.malformedJSON, .invalidBody])
        }
        let text = JSON.write(value)
        let again: Value
        do throws(APIError) {
            again = try JSON.read(Value.self, from: text, ignoringUnknownFields: isOpen)
        } catch {
            let shown = String(decoding: text, as: UTF8.self)
            throw FuzzFault(description: "what we write is refused: \(error) in \(shown)")
        }
        try hold(JSON.write(again) == text, "is written otherwise the second time")
        try hold(areEqual(value, again), "is another value when read again")
    }

    private static func read<Query: QueryObject>(query type: Query.Type, _ text: String) throws {
        let query: Query
        do throws(APIError) {
            query = try Query.read(query: text)
        } catch {
            return try judge(error, among: [.invalidQuery])
        }
        let written = query.queryText
        guard let again = try? Query.read(query: written) else {
            throw FuzzFault(description: "what we write is refused: \(written)")
        }
        try hold(again.queryText == written, "is written otherwise the second time: \(written)")
        try hold(areEqual(query, again), "is another value when read again: \(written)")
    }

    /// A refusal is of these codes, says where, and is a problem that can be read.
    static func judge(_ error: APIError, among codes: [ErrorCode]) throws {
        try hold(codes.contains(error.code), "refused with \(error.code.text)")
        let isOfFields = error.code != .malformedJSON
        try hold(!error.errors.isEmpty == isOfFields, "\(error.code.text) without fields")
        try hold(error.errors.count <= JSONReading.errorsMax, "too many fields are told")
        let problem = Problem(error, traceID: "t")
        let again = try? JSON.read(Problem.self, from: JSON.write(problem))
        try hold(again == problem, "the problem is another one when read again")
    }
}

extension [EndpointDescription] {
    /// Three examples of what each takes or answers.
    fileprivate func seeds(
        _ schema: KeyPath<EndpointDescription, @Sendable (inout SchemaComponents) -> JSONTree>,
        _ write: (JSONTree) -> [UInt8]
    ) -> [[UInt8]] {
        enumerated().flatMap { number, endpoint -> [[UInt8]] in
            var components = SchemaComponents()
            let schema = endpoint[keyPath: schema](&components)
            guard schema != false else { return [] }
            return SchemaExamples.Extent.allCases.map { extent in
                let examples = SchemaExamples(components: components, extent: extent)
                return chosen(number) + write(examples.value(schema))
            }
        }
    }
}

private func chosen(_ number: Int) -> [UInt8] {
    [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
}

private func querySeeds(_ endpoints: [EndpointDescription]) -> [[UInt8]] {
    endpoints.enumerated().flatMap { number, endpoint -> [[UInt8]] in
        var components = SchemaComponents()
        let parameters = endpoint.parameters(&components)
        guard !parameters.isEmpty else { return [] }
        return SchemaExamples.Extent.allCases.map { extent in
            let examples = SchemaExamples(components: components, extent: extent)
            let pairs = parameters.filter { extent != .least || $0["required"] == true }
                .compactMap { parameter -> String? in
                    guard case .string(let name)? = parameter["name"] else { return nil }
                    var value = examples.value(parameter["schema"] ?? [:], named: name)
                    if case .array(let values) = value {
                        guard let first = values.first else { return nil }
                        value = first
                    }
                    if case .string(let text) = value { return name + "=" + Percent.encode(text) }
                    return name + "=" + JSON.text(value)
                }
            return chosen(number) + Array(pairs.joined(separator: "&").utf8)
        }
    }
}

// MARK: Routes

/// Stands for any handler: only its place is looked for.
private struct Anybody: Handler {
    static let endpoint = Endpoint<NoQuery, NoBody, NoView>(
        "anybody",
        .get,
        "/",
        of: .gateway,
        for: .anyone,
        summary: "Nobody's"
    )
    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<NoView> { .noContent }
}

// Safety: built once, and only read from then on.
nonisolated(unsafe) private let router = {
    let router = Router(metrics: Metrics())
    for endpoint in Catalogue.all { router.add(Anybody(), as: endpoint) }
    return router
}()

/// Whether a path is of a template, one segment beside the other.
private func isOf(_ template: PathTemplate, _ path: String) -> Bool {
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == template.segments.count + 1, parts[0].isEmpty else { return false }
    return zip(template.segments, parts.dropFirst()).allSatisfy { segment, part in
        switch segment {
        case .literal(let literal): part.elementsEqual(literal.utf8)
        case .parameter: Percent.decode(part).map { !$0.isEmpty } ?? false
        }
    }
}

/// The tree finds what the templates say, whatever the method, and a path made anew is the same.
private func route(_ path: String) throws {
    let fitting = Catalogue.all.filter { isOf($0.path, path) }
    for method in HTTPMethod.allCases {
        switch router.match(method, Array(path.utf8)[...]) {
        case .none: try hold(fitting.isEmpty, "no place for \(fitting.map(\.name))")
        case .wrongMethod(let allowed):
            try hold(!fitting.isEmpty && !allowed.isEmpty, "a place of nothing")
        case .route(let route, let parameters):
            let template = route.template
            try hold(fitting.contains { $0.name == route.description.name }, "another's place")
            let names = template.parameterNames
            let values = names.map { ($0, parameters[$0]) }
            let anew = template.path(Dictionary(uniqueKeysWithValues: values))
            guard case .route(_, let again) = router.match(method, Array(anew.utf8)[...]) else {
                throw FuzzFault(description: "\(anew) is no path")
            }
            try hold(names.allSatisfy { again[$0] == parameters[$0] }, "\(anew) names another")
        }
    }
}
