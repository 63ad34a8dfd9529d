/// One setting of an executable: an environment variable, declared once.
public struct Variable: Sendable {
    /// What values it takes.
    public enum Kind: Sendable {
        /// Any text.
        case text
        /// A whole number within bounds.
        case integer(ClosedRange<Int>)
        /// One of these words.
        case choice([String])
        /// A secret of 32 characters or more; several, by commas, while one replaces another: the
        /// first makes, and what any of them has made counts.
        case secrets
    }

    /// Below this a secret can be guessed from what it has made.
    public static let secretCharactersMin = 32

    /// The name, `EZWALLET_…`.
    public let name: String
    /// What it is for, in one line, with its unit.
    public let help: String
    /// What it takes.
    public let kind: Kind
    /// The value where it is not set; nil with `isRequired` false: there is none.
    public let fallback: String?
    /// Whether the executable does not start without it.
    public let isRequired: Bool
    /// Whether it may also come as a file, by the same name and `_FILE`, and is never printed.
    public let isSecret: Bool
    /// The variable that lists names in whose place `<NAME>` stands: there is one of this for each.
    public let listedIn: String?

    /// A setting.
    public init(
        _ name: String,
        _ help: String,
        kind: Kind = .text,
        default fallback: String? = nil,
        required: Bool = false,
        secret: Bool = false,
        listedIn: String? = nil
    ) {
        self.listedIn = listedIn
        self.name = name
        self.help = help
        self.kind = kind
        self.fallback = fallback
        isRequired = required
        isSecret = secret
    }
}

extension Variable {
    /// The one of a listed name: `<NAME>` in capitals, with `_` for `-`.
    public func named(_ listed: String) -> Variable {
        let capitals = String(listed.uppercased().map { $0 == "-" ? "_" : $0 })
        let before = name.prefix { $0 != "<" }
        let after = name.drop { $0 != ">" }.dropFirst()
        return Variable(
            before + capitals + after,
            help,
            kind: kind,
            default: fallback,
            required: isRequired,
            secret: isSecret
        )
    }

    /// The names in a list with commas.
    public static func names(in list: String?) -> [String] {
        (list ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
            .filter { !$0.isEmpty }
    }

    /// Itself, or where it is one of many, each of them.
    fileprivate func all(in environment: [String: String]) -> [Variable] {
        guard let listedIn else { return [self] }
        return Self.names(in: environment[listedIn]).map(named)
    }
}

/// What is wrong with the environment, all of it at once.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// One line a fault.
    public let faults: [String]
    /// The lines.
    public var description: String { faults.joined(separator: "\n") }

    /// Faults.
    public init(faults: [String]) { self.faults = faults }
}

/// The settings of one executable, read and checked once.
public struct Settings: Sendable {
    private let values: [String: String]

    /// Reads every variable from the environment.
    public init(
        _ variables: [Variable],
        environment: [String: String]
    ) throws(ConfigurationError) {
        var values: [String: String] = [:]
        var faults: [String] = []
        for variable in variables.flatMap({ $0.all(in: environment) }) {
            do throws(ConfigurationError) {
                values[variable.name] = try Self.value(of: variable, in: environment)
            } catch { faults += error.faults }
        }
        guard faults.isEmpty else { throw ConfigurationError(faults: faults) }
        self.values = values
    }

    private static func value(
        of variable: Variable,
        in environment: [String: String]
    ) throws(ConfigurationError) -> String? {
        var value = environment[variable.name]
        if variable.isSecret, let path = environment[variable.name + "_FILE"] {
            if value != nil {
                throw fault("\(variable.name) and \(variable.name)_FILE are both set")
            }
            guard let bytes = readFile(path) else {
                throw fault("\(variable.name)_FILE: \(path) cannot be read")
            }
            value = String(decoding: bytes, as: UTF8.self)
            while value?.last?.isNewline == true { value?.removeLast() }
        }
        guard let value = value.flatMap({ $0.isEmpty ? nil : $0 }) ?? variable.fallback else {
            if variable.isRequired {
                let file = variable.isSecret ? " (or \(variable.name)_FILE)" : ""
                throw fault("\(variable.name)\(file) is not set: \(variable.help)")
            }
            return nil
        }
        switch variable.kind {
        case .text: break
        case .integer(let range):
            guard let number = Int(value), range.contains(number) else {
                throw fault(
                    "\(variable.name): a whole number from \(range.lowerBound) to "
                        + "\(range.upperBound) is needed"
                )
            }
        case .choice(let words):
            guard words.contains(value) else {
                throw fault("\(variable.name): one of \(words.joined(separator: ", "))")
            }
        case .secrets:
            let parts = Self.parts(of: value)
            guard !parts.isEmpty, parts.allSatisfy({ $0.count >= Variable.secretCharactersMin })
            else {
                throw fault(
                    "\(variable.name): at least \(Variable.secretCharactersMin) characters are "
                        + "needed; several secrets are separated by commas"
                )
            }
        }
        return value
    }

    private static func parts(of value: String) -> [String] {
        value.split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    private static func fault(_ text: String) -> ConfigurationError {
        ConfigurationError(faults: [text])
    }

    /// The value of a required variable, or of one with a default.
    public func text(_ variable: Variable) -> String {
        // Cannot fire: constants name the variables, whose values were checked at start.
        guard let value = values[variable.name] else {
            preconditionFailure("\(variable.name) is neither required nor has it a default")
        }
        return value
    }

    /// The value, where there is one.
    public func optional(_ variable: Variable) -> String? { values[variable.name] }

    /// The secrets of a variable of that kind: the first makes, all are accepted.
    public func secrets(_ variable: Variable) -> [String] {
        optional(variable).map { Self.parts(of: $0) } ?? []
    }

    /// The secret that makes, of a required variable of that kind.
    public func secret(_ variable: Variable) -> String {
        // Cannot fire: constants name the variables, whose values were checked at start.
        guard let first = secrets(variable).first else {
            preconditionFailure("\(variable.name) is no required secret")
        }
        return first
    }

    /// The number that an integer variable has.
    public func integer(_ variable: Variable) -> Int {
        // Cannot fire: constants name the variables, whose values were checked at start.
        guard let number = Int(text(variable)) else {
            preconditionFailure("\(variable.name) is no integer variable")
        }
        return number
    }

    /// The host and port of a `host:port` variable, or nil where it is not one.
    public func address(_ variable: Variable) -> (host: String, port: Int)? {
        splitAddress(text(variable))
    }
}

/// What follows `http://`, or all of it.
public func withoutScheme(_ url: String) -> Substring {
    url.hasPrefix("http://") ? url.dropFirst("http://".count) : url[...]
}

/// Splits `host:port` or `[v6]:port`.
public func splitAddress(_ text: some StringProtocol) -> (host: String, port: Int)? {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
        (0...65_535).contains(port)
    else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return host.isEmpty ? nil : (host == "localhost" ? "127.0.0.1" : host, port)
}

/// The table that `--help` prints: name, default and meaning, two spaces apart.
public func helpTable(_ variables: [Variable]) -> String {
    let rows = variables.map { variable -> [String] in
        let fallback = variable.fallback ?? (variable.isRequired ? "required" : "none")
        let file = variable.isSecret ? " (or a file's path in \(variable.name)_FILE)" : ""
        return [variable.name, fallback, variable.help + file]
    }
    let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
        "  " + pad(row[0], widths[0]) + "  " + pad(row[1], widths[1]) + "  " + row[2]
    }.joined(separator: "\n")
}

private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}
