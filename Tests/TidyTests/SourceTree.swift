import Foundation
import Synchronization

/// The repository as these tests see it.
enum SourceTree {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every Swift file under the folders named, its text split in lines.
    static func swiftFiles(under folders: String...) -> [SourceFile] {
        folders.flatMap { folder in files(under: folder).filter { $0.hasSuffix(".swift") } }
            .sorted()
            .compactMap { path in
                read.withLock { read in
                    if let file = read[path] { return file }
                    let file = SourceFile(path: path)
                    read[path] = file
                    return file
                }
            }
    }

    /// Each is read once, whatever the number of tests that look at it.
    private static let read = Mutex<[String: SourceFile]>([:])

    /// Paths relative to the root of every file under a folder.
    static func files(under folder: String) -> [String] {
        let base = root.appending(path: folder)
        guard let all = FileManager.default.enumerator(atPath: base.path) else { return [] }
        return all.compactMap { $0 as? String }
            .map { "\(folder)/\($0)" }
            .filter { path in
                var isFolder: ObjCBool = false
                let full = root.appending(path: path).path
                return FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
                    && !isFolder.boolValue
            }
    }

    static func names(in folder: String) -> [String] {
        let path = root.appending(path: folder).path
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    static func text(_ path: String) -> String? {
        try? String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}

/// A file, and the same with comments and the contents of strings blanked out.
struct SourceFile: Sendable {
    let path: String
    let lines: [String]
    let code: [String]

    init?(path: String) {
        guard let text = SourceTree.text(path) else { return nil }
        self.path = path
        lines = text.components(separatedBy: "\n")
        code = Self.blanked(lines)
    }

    var name: String { String(path.split(separator: "/").last ?? "") }

    /// The module that the file belongs to: its folder below `Shared`, or its service.
    var module: String {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count > 2 else { return "" }
        return parts[0] == "Services" && parts[2] == "Service" ? "\(parts[1])Service" : parts[1]
    }

    private static func blanked(_ lines: [String]) -> [String] {
        var insideText = false
        return lines.map { line in
            if insideText || line.contains("\"\"\"") {
                if line.components(separatedBy: "\"\"\"").count.isMultiple(of: 2) {
                    insideText.toggle()
                }
                return insideText ? String(line.prefix { $0 != "\"" }) : ""
            }
            return blanked(line)
        }
    }

    private static func blanked(_ line: String) -> String {
        var result = ""
        var quoted = false
        var escaped = false
        var previous: Character = " "
        for character in line {
            if quoted {
                if escaped {
                    escaped = false
                } else if character == "\\" {
                    escaped = true
                } else if character == "\"" {
                    quoted = false
                    result.append(character)
                }
                continue
            }
            if character == "/", previous == "/" { return String(result.dropLast()) }
            if character == "\"" { quoted = true }
            result.append(character)
            previous = character
        }
        return result
    }
}
