/// One query parameter: its name, where it is kept, and what must hold of it.
public final class QueryField<Root, Value: QueryValue>: Sendable {
    let name: String
    private let path: any KeyPath<Root, Value> & Sendable
    private let rules: [Rule<Value>]
    private let fallback: Value?
    private let about: String?

    /// A parameter.
    /// - Parameters:
    ///   - rules: what must hold of a value that is there.
    ///   - fallback: what a missing parameter reads as.
    ///   - about: a sentence for the OpenAPI document.
    public init(
        _ name: String,
        _ path: any KeyPath<Root, Value> & Sendable,
        _ rules: Rule<Value>...,
        default fallback: Value? = nil,
        about: String? = nil
    ) {
        self.name = name
        self.path = path
        self.rules = rules
        self.fallback = fallback
        self.about = about
    }

    /// What a missing one reads as: nil where it must be there.
    private var missing: Value? {
        if let fallback { return fallback }
        if Value.isRepeatable {
            var nothing = JSONReading()
            return Value.read(texts: [], &nothing)
        }
        return Value.absent
    }

    func read(_ parameters: QueryParameters, _ reading: inout JSONReading) -> Value? {
        let texts = parameters.values(name)
        guard !texts.isEmpty else {
            if let missing { return missing }
            reading.fail(.required, "is required", at: "query:\(name)")
            return nil
        }
        var own = JSONReading()
        var value = Value.read(texts: texts, &own)
        if texts.count > 1 && !Value.isRepeatable {
            own.fail(.duplicate, "may be given once")
        } else {
            value = value.map { rules.checked($0, &own) }
        }
        for error in own.errors { reading.fail(error.code, error.detail, at: "query:\(name)") }
        return own.errors.isEmpty ? value : nil
    }

    func write(_ root: Root) -> [(name: String, value: String)] {
        let value = root[keyPath: path]
        if let fallback, fallback.texts == value.texts { return [] }
        return value.texts.map { (name, $0) }
    }

    func parameter(_ components: inout SchemaComponents) -> JSONTree {
        var schema = Value.schema(&components)
        for rule in rules {
            for member in rule.schema { schema = schema.setting(member.name, member.value) }
        }
        // A default of nothing is not said: who takes it at its word would send an empty text.
        if let fallback, !fallback.texts.allSatisfy(\.isEmpty),
            let tree = JSONTree(written: fallback)
        {
            schema = schema.setting("default", tree)
        }
        var parameter: JSONTree = [
            "name": .string(name), "in": "query", "required": .bool(missing == nil),
            "schema": schema,
        ]
        if Value.isRepeatable {
            parameter = parameter.setting("style", "form").setting("explode", true)
        }
        if let about { parameter = parameter.setting("description", .string(about)) }
        return parameter
    }
}
