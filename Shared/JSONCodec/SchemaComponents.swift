/// The named schemas of an OpenAPI document, gathered while endpoints describe themselves.
public struct SchemaComponents: Sendable {
    /// The schemas by name.
    public private(set) var schemas: [String: JSONTree] = [:]
    private var owners: [String: ObjectIdentifier] = [:]

    /// No schemas yet.
    public init() {}

    /// A reference to the named schema of a type, made by `make` when it is not there yet.
    public mutating func reference<Owner>(
        _ name: String,
        to owner: Owner.Type,
        _ make: (inout SchemaComponents) -> JSONTree
    ) -> JSONTree {
        let reference: JSONTree = ["$ref": .string("#/components/schemas/\(name)")]
        if let known = owners[name] {
            // Cannot fire: schemas are made of types alone, whatever comes in.
            precondition(known == ObjectIdentifier(owner), "two types named \(name)")
            return reference
        }
        owners[name] = ObjectIdentifier(owner)
        let schema = make(&self)
        schemas[name] = schema
        return reference
    }
}
