internal import Foundation
internal import Loops
public import Postgres
public import ServiceKit
internal import WalletProtocol

/// A statement as its source has it.
public struct WrittenStatement: Sendable {
    /// The file and the name: `SessionStatements.rotate`.
    public let place: String
    /// The indexes that it says serve it.
    public let indexes: [String]
    /// Its SQL.
    public let sql: String

    /// Those in the files of some folders of the package, but what is joined of fragments.
    public static func all(under folders: [String]) throws -> [WrittenStatement] {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        var statements: [WrittenStatement] = []
        for folder in folders {
            let base = root.appending(path: folder)
            let files = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
                let name = file.deletingPathExtension().lastPathComponent
                statements += written(in: try String(contentsOf: file, encoding: .utf8), name)
            }
        }
        return statements.sorted { $0.place < $1.place }
    }

    /// Those of a file: `let name = Statement(by: "…", """…""")`, on however many lines.
    private static func written(in text: String, _ file: String) -> [WrittenStatement] {
        var statements: [WrittenStatement] = []
        var rest = text[...]
        while let start = rest.range(of: " = Statement") {
            let line = rest[..<start.lowerBound].split(separator: "\n").last ?? ""
            rest = rest[start.upperBound...]
            guard let name = line.split(separator: "let ").last?.prefix(while: isPartOfName),
                rest.first == "(" || rest.first == "<",
                let open = rest.firstIndex(of: "(")
            else { continue }
            rest = rest[rest.index(after: open)...].drop(while: \.isWhitespace)
            var indexes: [String] = []
            if rest.hasPrefix("by: \""), let by = take(from: &rest, between: "\"") {
                indexes = by.components(separatedBy: ", ")
                rest = rest.drop { $0 == "," || $0.isWhitespace }
            }
            let mark = rest.hasPrefix("\"\"\"") ? "\"\"\"" : "\""
            guard rest.hasPrefix(mark), let sql = take(from: &rest, between: mark) else { continue }
            statements.append(
                WrittenStatement(place: "\(file).\(name)", indexes: indexes, sql: String(sql))
            )
        }
        return statements
    }

    private static func isPartOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber
    }

    /// Takes what stands between the next two marks, and them.
    private static func take(from rest: inout Substring, between mark: String) -> Substring? {
        guard let start = rest.range(of: mark) else { return nil }
        let inner = rest[start.upperBound...]
        guard let end = inner.range(of: mark) else { return nil }
        rest = inner[end.upperBound...]
        return inner[..<end.lowerBound]
    }

    /// Whether it has a plan: a call or a lock of the session has none.
    private var hasPlan: Bool {
        let word = sql.drop { $0.isWhitespace }.prefix { $0.isLetter }.lowercased()
        return ["select", "insert", "update", "delete", "with", "merge"].contains(word)
    }

    /// What is wrong with the plans of a service's statements, and of others in some folders.
    ///
    /// - Parameters:
    ///   - rows: written first, for the planner to choose by.
    ///   - whole: places of those that read whole tables, as whoever wrote them wants it.
    public static func faults(
        of definition: ServiceDefinition,
        with folders: [String] = [],
        rows: [SQLScript] = [],
        whole: Set<String> = []
    ) async throws -> [String] {
        let name = definition.name.rawValue
        let made = try await PostgresCluster.shared().makeDatabase(
            name,
            template: "rig of \(name)"
        ) { try await ServiceRig.migrate($0, definition) }
        let home = "Services/\(name.prefix(1).uppercased())\(name.dropFirst())/Service"
        let faults = try await faults(
            under: [home] + folders,
            on: made,
            schema: name,
            rows: rows,
            whole: whole
        )
        try await made.drop()
        return faults
    }

    /// The same on a database that has the tables.
    public static func faults(
        under folders: [String],
        on made: TestDatabase,
        schema: String,
        rows: [SQLScript],
        whole: Set<String> = []
    ) async throws -> [String] {
        let statements = try all(under: folders).filter { !whole.contains($0.place) }
        guard statements.count >= 10 else { return ["no statements are under \(folders)"] }
        return try await onLoop { actor in
            var configuration = made.owner
            configuration.searchPath = [schema, "pg_temp"].compactMap { Identifier($0) }
            let owner = Database(configuration: configuration, loop: actor.loop)
            defer { owner.close() }
            try await owner.lease { try await $0.executeScript(explainFunction) }
            for rows in rows { try await owner.lease { try await $0.executeScript(rows) } }
            var faults: [String] = []
            for statement in statements {
                if let fault = await statement.fault(on: owner) { faults.append(fault) }
            }
            return faults
        }
    }

    /// What is wrong with its plan on a database that has the tables and, for the planner to choose
    /// by, rows in them; nil where it is a look-up by the indexes that it names.
    func fault(on database: Database) async -> String? {
        guard hasPlan else { return nil }
        let plan: String
        do {
            plan = try await planText(of: sql, on: database)
        } catch { return "\(place) cannot be planned: \(error)" }
        if plan.contains("Seq Scan on") { return "\(place) reads a whole table\n\(plan)" }
        let missing = indexes.filter { !plan.contains($0) }
        if !missing.isEmpty {
            return "\(place) is not by \(missing.joined(separator: ", "))\n\(plan)"
        }
        if indexes.isEmpty, plan.contains("Index") {
            return "\(place) names no index\n\(plan)"
        }
        return nil
    }
}

/// How a statement is planned for good: generic, and with sequential scans ruled out.
///
/// `explainFunction` has been run on the database before.
public func planText(of sql: String, on database: Database) async throws -> String {
    let parameters =
        sql.split(separator: "$", omittingEmptySubsequences: false).dropFirst()
        .compactMap { Int($0.prefix { $0.isNumber }) }.max() ?? 0
    return try await database.query(explain, sql, parameters).joined(separator: "\n")
}

private let explain = Statement("select public.explain_text($1, $2)") { row in try row.string(0) }

/// What `planText` calls.
public let explainFunction: SQLScript = """
    create or replace function public.explain_text(statement text, parameters bigint)
    returns setof text
    language plpgsql
    set enable_seqscan = off
    set plan_cache_mode = force_generic_plan
    as $$
    begin
        execute 'prepare explained as ' || statement;
        return query execute 'explain execute explained'
            || case when parameters = 0 then ''
                else '(' || rtrim(repeat('null,', parameters::int), ',') || ')' end;
        execute 'deallocate explained';
    end
    $$;
    """
