// swift-tools-version: 6.2
import Foundation
import PackageDescription

// One line a target; the helpers below give each the same strict settings. `EZWALLET_SCOPE=shared`
// leaves the services out, so that sanitizer runs build the shared modules alone.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]
/// Tests hold C up against our wrappers and need not mark each such call.
let strictForTests: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]
let packageFolder = Context.packageDirectory

func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: packageFolder + "/" + path)
}

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
        publicHeadersPath: "include"
    )
}

/// A service: a library, its embedded migrations and data, and a thin executable.
func service(_ name: String, _ dependencies: [Target.Dependency] = []) -> [Target] {
    let folder = "Services/\(name)"
    guard exists(folder) else { return [] }
    var all: [Target] = []
    var libraryDependencies = dependencies
    var exclude: [String] = []
    for resource in ["Migrations", "Data"] where exists("\(folder)/Service/\(resource)") {
        all.append(embedded("\(name)\(resource)", "\(folder)/Service/\(resource)"))
        libraryDependencies.append(.target(name: "\(name)\(resource)"))
        libraryDependencies.append("CEmbedded")
        exclude.append(resource)
    }
    all.append(
        .target(
            name: "\(name)Service",
            dependencies: libraryDependencies,
            path: "\(folder)/Service",
            exclude: exclude,
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

let serviceBase: [Target.Dependency] = [
    "Loops", "HTTP", "Postgres", "Crypto", "Text", "Outbound", "Messaging", "WalletProtocol",
    "ServiceKit",
]

var targets: [Target] = [
    .target(name: "CEmbedded", path: "Shared/C/CEmbedded", publicHeadersPath: "include"),
    system("CLibevent", "libevent_core", "libevent-dev"),
    system("CLibpq", "libpq", "libpq-dev"),
    system("COpenSSL", "openssl", "libssl-dev"),
    system("CArgon2", "libargon2", "libargon2-dev"),
    system("CCrack", nil, "libcrack2-dev"),
    system("CCurl", "libcurl", "libcurl4-openssl-dev"),
    system("CNats", "libnats", "libnats-dev"),
    system("CICU", "icu-i18n", "libicu-dev"),
    system("CZlib", "zlib", "zlib1g-dev"),
    system("CGlibcSystem", nil, "libc6-dev"),

    shared("Loops", ["CLibevent", "CGlibcSystem"]),
    shared("HTTP", ["Loops", "COpenSSL", "CGlibcSystem"]),
    shared("Postgres", ["Loops", "CLibpq", "CGlibcSystem"]),
    shared(
        "Messaging",
        ["Loops", "Postgres", "WalletProtocol", "CNats", "CGlibcSystem"],
        exclude: ["README.md"]
    ),
    shared("Crypto", ["COpenSSL", "CArgon2", "CCrack", "Loops"]),
    shared("Outbound", ["Loops", "CCurl", "CGlibcSystem"]),
    shared("Text", ["CICU"]),
    shared("WalletProtocol", [], exclude: ["Standards"]),
    shared(
        "ServiceKit",
        [
            "Loops", "HTTP", "Postgres", "Messaging", "Crypto", "WalletProtocol", "CGlibcSystem",
            "CEmbedded",
        ],
        exclude: ["README.md"]
    ),
    shared("TestKit", ["Loops", "HTTP", "Postgres", "ServiceKit", "WalletProtocol", "Crypto"]),
]
targets += [
    tests("Loops", ["Loops"]),
    tests("HTTP", ["HTTP", "Loops", "TestKit"]),
    tests("Postgres", ["Postgres", "Loops", "TestKit"]),
    tests("Messaging", ["Messaging", "Postgres", "Loops", "WalletProtocol", "TestKit"]),
    tests("Crypto", ["Crypto", "Loops"]),
    tests("Outbound", ["Outbound", "HTTP", "Loops", "TestKit"]),
    tests("Text", ["Text"]),
    tests("WalletProtocol", ["WalletProtocol"]),
    tests(
        "ServiceKit",
        [
            "ServiceKit", "Loops", "HTTP", "Postgres", "Messaging", "Crypto", "WalletProtocol",
            "TestKit",
        ]
    ),
    tests("Tidy", []),
]
if Context.environment["EZWALLET_SCOPE"] != "shared" {
    targets += service("Gateway", serviceBase)
    targets += service("Auth", serviceBase)
    targets += service("Ledger", serviceBase + ["CZlib"])
    targets += service("Groups", serviceBase)
    targets += service("Analytics", serviceBase)
    targets += service("Notifications", serviceBase)
    for name in ["Gateway", "Auth", "Ledger", "Groups", "Analytics", "Notifications"] {
        targets.append(
            tests(name, serviceBase + [.target(name: "\(name)Service"), "TestKit"])
        )
    }
}

// While the tree grows, a target stands in the manifest once its folder does.
let present = Set(targets.filter { exists($0.path ?? "") }.map(\.name))
let package = Package(
    name: "ezwallet",
    targets: targets.filter { present.contains($0.name) }.map { target in
        target.dependencies = target.dependencies.filter { dependency in
            switch dependency {
            case .targetItem(let name, _): present.contains(name)
            case .byNameItem(let name, _): present.contains(name)
            default: true
            }
        }
        return target
    },
    cLanguageStandard: .c2x
)
