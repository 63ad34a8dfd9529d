// swift-tools-version: 6.2
import Foundation
import PackageDescription

// One line a target; the helpers below give each the same strict settings. `EZWALLET_SCOPE=shared`
// leaves the services out, so that sanitizer runs build the shared modules alone. Where there is no
// `Tests`, as in the builder of the images, no target is a test.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    // Nothing here has regular expressions: their libraries would be loaded all the same (1 MiB).
    .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"]),
]
/// Tests hold C up against our wrappers and need not mark each such call.
let strictForTests: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]
func system(_ name: String, _ pkgConfig: String? = nil, _ apt: String) -> Target {
    .systemLibrary(
        name: name,
        path: "Shared/C/\(name)",
        pkgConfig: pkgConfig,
        providers: [.apt([apt])]
    )
}

func shared(
    _ name: String,
    _ dependencies: [Target.Dependency],
    exclude: [String] = []
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Shared/\(name)",
        exclude: exclude,
        swiftSettings: strict
    )
}

/// Files compiled in with `#embed`: a C target whose `resources.c` lists them.
func embedded(_ name: String, _ path: String) -> Target {
    .target(
        name: name,
        dependencies: ["CEmbedded"],
        path: path,
        exclude: path.hasSuffix("/Data") ? ["README.md"] : [],
        publicHeadersPath: "include"
    )
}

let serviceBase: [Target.Dependency] = [
    "Loops", "Names", "HTTP", "Postgres", "Crypto", "Messaging", "WalletProtocol", "ServiceKit",
]

/// A service: a library, what is compiled into it (`Migrations`, `Data`), and a thin executable.
///
/// All of a module that is named here is linked, and what it stands on is loaded at the start: only
/// who calls others outside names `Outbound` (libcurl and its fourteen), who folds texts `Text`
/// (ICU).
func service(
    _ name: String,
    embedding resources: [String] = [],
    linking libraries: [Target.Dependency] = []
) -> [Target] {
    let folder = "Services/\(name)"
    var all = resources.map { embedded("\(name)\($0)", "\(folder)/Service/\($0)") }
    var libraryDependencies = serviceBase + libraries
    for resource in resources { libraryDependencies.append(.target(name: "\(name)\(resource)")) }
    if !resources.isEmpty { libraryDependencies.append("CEmbedded") }
    all.append(
        .target(
            name: "\(name)Service",
            dependencies: libraryDependencies,
            path: "\(folder)/Service",
            exclude: resources,
            swiftSettings: strict
        )
    )
    all.append(
        .executableTarget(
            name: "ezwallet-\(name.lowercased())",
            dependencies: [.target(name: "\(name)Service"), "ServiceKit"],
            path: "\(folder)/Main",
            swiftSettings: strict
        )
    )
    return all
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: dependencies,
        path: "Tests/\(name)Tests",
        swiftSettings: strictForTests
    )
}

var targets: [Target] = [
    .target(name: "CEmbedded", path: "Shared/C/CEmbedded", publicHeadersPath: "include"),
    system("CLibevent", "libevent_core", "libevent-dev"),
    system("CLibpq", "libpq", "libpq-dev"),
    system("COpenSSL", "openssl", "libssl-dev"),
    system("CArgon2", "libargon2", "libargon2-dev"),
    system("CCrack", nil, "libcrack2-dev"),
    system("CCurl", "libcurl", "libcurl4-openssl-dev"),
    system("CNats", "libnats", "libnats-dev"),
    system("CCares", "libcares", "libc-ares-dev"),
    system("CICU", "icu-i18n", "libicu-dev"),
    system("CZlib", "zlib", "zlib1g-dev"),
    system("CExpat", "expat", "libexpat1-dev"),
    system("CCbor", "libcbor", "libcbor-dev"),
    system("CGD", nil, "libgd-dev"),
    system("CQREncode", "libqrencode", "libqrencode-dev"),
    // Opened where a document is made, and declared by hand: its headers are not needed.
    system("CPango", nil, "libpangocairo-1.0-0"),
    system("CGlibcSystem", nil, "libc6-dev"),

    shared("Loops", ["CLibevent", "CGlibcSystem"]),
    shared("Names", ["Loops", "CCares", "CGlibcSystem"]),
    shared("HTTP", ["Loops", "COpenSSL", "CGlibcSystem"]),
    shared("Postgres", ["Loops", "CLibpq", "CGlibcSystem"]),
    shared(
        "Messaging",
        ["Loops", "Postgres", "WalletProtocol", "CNats", "CGlibcSystem"],
        exclude: ["README.md"]
    ),
    shared("Crypto", ["COpenSSL", "CArgon2", "CCrack", "JSONCodec", "Loops"]),
    shared("WebAuthn", ["Crypto", "JSONCodec", "CCbor"]),
    shared("JOSE", ["Crypto", "JSONCodec"]),
    shared("Outbound", ["Loops", "CCurl", "CGlibcSystem"]),
    shared("Text", ["CICU", "CGlibcSystem"]),
    shared("Pictures", ["CGD", "CGlibcSystem"]),
    shared("QRCodes", ["CQREncode", "CGlibcSystem"]),
    shared("Documents", ["CPango", "CZlib", "CGlibcSystem", "Loops", "Text"]),
    shared("XML", ["CExpat"]),
    shared("Archives", ["CZlib"]),
    shared("Palette", ["Text", "WalletProtocol"]),
    shared(
        "ReportFiles",
        ["Documents", "HTTP", "Loops", "Palette", "ServiceKit", "Text", "WalletProtocol"]
    ),
    shared("Schedules", ["Text", "WalletProtocol"]),
    shared(
        "Receipts",
        ["Loops", "HTTP", "Postgres", "Crypto", "Text", "ServiceKit", "WalletProtocol"]
    ),
    shared("JSONCodec", []),
    shared("WalletProtocol", ["JSONCodec", "CGlibcSystem"], exclude: ["Standards"]),
    embedded("IBANsData", "Shared/IBANs/Data"),
    shared("IBANs", ["WalletProtocol", "IBANsData", "CEmbedded"], exclude: ["Data"]),
    embedded("BankFilesData", "Shared/BankFiles/Data"),
    shared(
        "BankFiles",
        [
            "Text", "XML", "Archives", "IBANs", "WalletProtocol", "BankFilesData", "CEmbedded",
        ],
        exclude: ["Data"]
    ),
    shared(
        "ServiceKit",
        [
            "Loops", "Names", "HTTP", "Postgres", "Messaging", "Crypto", "WalletProtocol",
            "CGlibcSystem", "CEmbedded",
        ],
        exclude: ["README.md"]
    ),
    shared(
        "TestKit",
        [
            "Loops", "Names", "HTTP", "Postgres", "Messaging", "ServiceKit", "WalletProtocol",
            "Crypto", "CGlibcSystem",
        ]
    ),
]
let fuzzed: [Target.Dependency] = [
    "HTTP", "Messaging", "Crypto", "WebAuthn", "JOSE", "Text", "Pictures", "XML", "Archives",
    "WalletProtocol", "BankFiles", "ServiceKit", "Receipts",
]
targets += [
    tests("Loops", ["Loops"]),
    tests("Names", ["Names", "Loops", "TestKit"]),
    tests("HTTP", ["HTTP", "Loops", "TestKit"]),
    tests("Postgres", ["Postgres", "Loops", "TestKit"]),
    tests("Messaging", ["Messaging", "Postgres", "Loops", "WalletProtocol", "TestKit"]),
    tests("Crypto", ["Crypto", "JSONCodec", "Loops"]),
    tests("WebAuthn", ["WebAuthn", "Crypto", "JSONCodec"]),
    tests("JOSE", ["JOSE", "Crypto", "JSONCodec"]),
    tests("Outbound", ["Outbound", "HTTP", "Loops", "TestKit"]),
    tests("Text", ["Text"]),
    tests("Pictures", ["Pictures"]),
    tests("QRCodes", ["QRCodes"]),
    tests("Documents", ["Documents", "Loops", "Text", "TestKit"]),
    tests("Receipts", ["Receipts", "WalletProtocol"]),
    tests("XML", ["XML"]),
    tests("Archives", ["Archives", "CZlib", "TestKit"]),
    tests("BankFiles", ["BankFiles", "Archives", "WalletProtocol", "TestKit"]),
    tests("WalletProtocol", ["WalletProtocol", "TestKit"]),
    tests(
        "ServiceKit",
        [
            "ServiceKit", "Loops", "HTTP", "Postgres", "Messaging", "Crypto", "WalletProtocol",
            "TestKit",
        ]
    ),
    tests("Tidy", []),
]
if Context.environment["EZWALLET_SCOPE"] == "fuzz" {
    // What the tests run, without the tests; the executable has libFuzzer's own main: it can be
    // built by `deploy/fuzz` alone.
    targets += [
        .target(
            name: "FuzzTargets",
            dependencies: fuzzed,
            path: "Tests/FuzzTests/Targets",
            swiftSettings: strictForTests
        ),
        .executableTarget(
            name: "ezwallet-fuzz",
            dependencies: ["FuzzTargets"],
            path: "Tests/Fuzzer",
            swiftSettings: strictForTests
        ),
    ]
} else {
    targets.append(tests("Fuzz", fuzzed))
}
if !["shared", "fuzz"].contains(Context.environment["EZWALLET_SCOPE"]) {
    targets += service("Gateway", embedding: ["Examples"])
    targets += service(
        "Auth",
        embedding: ["Migrations"],
        linking: ["WebAuthn", "JOSE", "Pictures", "Outbound", "Text", "Archives"]
    )
    targets += service(
        "Notifications",
        embedding: ["Migrations", "Data"],
        linking: ["Outbound", "Text"]
    )
    targets += service(
        "Ledger",
        embedding: ["Migrations", "Data"],
        linking: [
            "Text", "Palette", "Outbound", "Documents", "BankFiles", "Archives", "XML", "IBANs",
            "ReportFiles", "Receipts", "Schedules",
        ]
    )
    targets += service(
        "Analytics",
        embedding: ["Migrations"],
        linking: ["Text", "Palette", "Documents", "ReportFiles"]
    )
    targets += service(
        "Groups",
        embedding: ["Migrations"],
        linking: ["Text", "Palette", "IBANs", "QRCodes", "Receipts", "BankFiles", "Schedules"]
    )
    let testLibraries: [String: [Target.Dependency]] = [
        "Ledger": ["BankFiles", "IBANs", "Receipts", "Schedules"],
        "Groups": ["IBANs", "BankFiles", "Schedules"],
        "Analytics": ["Documents", "ReportFiles", "Text"],
    ]
    for name in ["Gateway", "Auth", "Ledger", "Groups", "Analytics", "Notifications"] {
        let libraries = testLibraries[name] ?? []
        let needs = serviceBase + libraries + [.target(name: "\(name)Service"), "TestKit"]
        targets.append(tests(name, needs))
    }
}

if !FileManager.default.fileExists(atPath: Context.packageDirectory + "/Tests") {
    targets.removeAll { $0.type == .test }
}

let package = Package(name: "ezwallet", targets: targets, cLanguageStandard: .c2x)
