import Foundation
import Testing

/// Imports point down only: `Main → Service → {WalletProtocol, ServiceKit} → wrappers → C`.
@Suite("Layers")
struct LayerTests {
    // A C module is imported by its wrapper alone.
    /// What each shared module may import of ours.
    static let shared: [String: Set<String>] = [
        "Loops": ["CLibevent", "CGlibcSystem"],
        "Names": ["Loops", "CCares", "CGlibcSystem"],
        "HTTP": ["Loops", "COpenSSL", "CGlibcSystem"],
        "Postgres": ["Loops", "CLibpq", "CGlibcSystem"],
        "Messaging": ["Loops", "Postgres", "WalletProtocol", "CNats", "CGlibcSystem"],
        "Crypto": ["COpenSSL", "CArgon2", "CCrack", "JSONCodec", "Loops"],
        "JOSE": ["Crypto", "JSONCodec"],
        "Outbound": ["Loops", "CCurl", "CGlibcSystem"],
        "WebAuthn": ["Crypto", "JSONCodec", "CCbor"],
        "Text": ["CGlibcSystem", "CICU"],
        "Pictures": ["CGD", "CGlibcSystem"],
        "QRCodes": ["CQREncode", "CGlibcSystem"],
        "Documents": ["CPango", "CZlib", "CGlibcSystem", "Loops", "Text"],
        "XML": ["CExpat"],
        "Archives": ["CZlib"],
        "Palette": ["Text", "WalletProtocol"],
        "ReportFiles": [
            "Documents", "HTTP", "Loops", "Palette", "ServiceKit", "Text", "WalletProtocol",
        ],
        "Schedules": ["Text", "WalletProtocol"],
        "Receipts": [
            "Loops", "HTTP", "Postgres", "Crypto", "Text", "ServiceKit", "WalletProtocol",
        ],
        "JSONCodec": [],
        "WalletProtocol": ["JSONCodec", "CGlibcSystem"],
        "IBANs": ["WalletProtocol", "IBANsData", "CEmbedded"],
        "BankFiles": [
            "Text", "XML", "Archives", "IBANs", "WalletProtocol", "BankFilesData", "CEmbedded",
        ],
        "ServiceKit": [
            "Loops", "Names", "HTTP", "Postgres", "Messaging", "Crypto", "WalletProtocol",
            "CGlibcSystem", "CEmbedded",
        ],
        "TestKit": [
            "Loops", "Names", "HTTP", "Postgres", "Messaging", "ServiceKit", "WalletProtocol",
            "Crypto", "CGlibcSystem",
        ],
    ]
    static let wrappers: Set<String> = [
        "Loops", "Names", "HTTP", "Postgres", "Messaging", "Crypto", "JOSE", "Outbound",
        "Text", "Palette", "Pictures", "Documents", "XML", "Archives", "BankFiles", "IBANs",
        "QRCodes", "Receipts", "ReportFiles", "Schedules", "WebAuthn",
        "JSONCodec", "WalletProtocol", "ServiceKit",
    ]

    @Test func sharedModulesImportWhatStandsBelowThem() throws {
        for file in SourceTree.swiftFiles(under: "Shared") {
            guard let allowed = Self.shared[file.module] else {
                Issue.record("\(file.path): module \(file.module) has no row in LayerTests.shared")
                continue
            }
            for name in imports(of: file) where isOurs(name) && !allowed.contains(name) {
                Issue.record("\(file.path): \(file.module) stands below \(name), or wraps it not")
            }
        }
    }

    @Test func servicesImportNoOtherService() throws {
        for file in SourceTree.swiftFiles(under: "Services") {
            let service = file.path.split(separator: "/").map(String.init)[1]
            var allowed = Self.wrappers.union(["CEmbedded", "\(service)Service"])
            allowed.formUnion(["\(service)Migrations", "\(service)Data"])
            for name in imports(of: file) where isOurs(name) && !allowed.contains(name) {
                Issue.record("\(file.path): a service does not import \(name)")
            }
        }
    }

    @Test func onlyTestsImportTestKit() {
        for file in SourceTree.swiftFiles(under: "Services")
            + SourceTree.swiftFiles(under: "Shared")
        where file.module != "TestKit" && imports(of: file).contains("TestKit") {
            Issue.record("\(file.path): TestKit is for tests")
        }
    }

    @Test func mainFilesAreThin() {
        for file in SourceTree.swiftFiles(under: "Services")
        where file.name == "main.swift" && file.lines.count > 21 {
            Issue.record("\(file.path): \(file.lines.count) lines: 20 are the most, move the rest")
        }
    }

    @Test func everyMigrationAndDataFileIsEmbedded() throws {
        for service in SourceTree.names(in: "Services") {
            for folder in ["Migrations", "Data"] {
                let path = "Services/\(service)/Service/\(folder)"
                let present = SourceTree.files(under: path).filter {
                    !$0.contains("/include/") && !$0.hasSuffix(".c") && !$0.hasSuffix(".md")
                }
                guard !present.isEmpty else { continue }
                let resources = try #require(SourceTree.text("\(path)/resources.c"))
                for file in present {
                    let name = String(file.dropFirst(path.count + 1))
                    #expect(resources.contains("\"\(name)\""), "\(file) is not in resources.c")
                }
            }
        }
    }

    @Test func theTopLevelHoldsWhatBelongsThere() {
        let expected: Set<String> = [
            "Package.swift", "Services", "Shared", "Tests", "deploy", "docker-compose.yml",
            "README.md", "LICENSE",
        ]
        for name in SourceTree.names(in: ".") where !name.hasPrefix(".") {
            #expect(expected.contains(name), "\(name) does not belong at the top level")
        }
    }

    private func imports(of file: SourceFile) -> [String] {
        file.code.compactMap { line in
            var words = line.split(separator: " ").map(String.init)
            while let first = words.first, first.hasPrefix("@") || Self.levels.contains(first) {
                words.removeFirst()
            }
            guard words.first == "import", words.count > 1 else { return nil }
            return words[1].split(separator: ".").first.map(String.init)
        }
    }

    private static let levels: Set<String> = ["public", "package", "internal", "private"]

    private func isOurs(_ name: String) -> Bool {
        Self.shared.keys.contains(name) || SourceTree.names(in: "Shared/C").contains(name)
            || name.hasSuffix("Service") || name.hasSuffix("Migrations") || name.hasSuffix("Data")
    }
}
