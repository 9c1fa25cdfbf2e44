// swift-tools-version: 6.2
import Foundation
import PackageDescription

// One row a module, in the order of docs/architecture.md: a module imports what its row names and
// nothing else (Tests/Tidy fails on any other import).

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func system(_ name: String, pkgConfig: String? = nil, apt package: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

func module(
  _ name: String, without: [String] = [], imports dependencies: String...
) -> Target {
  .target(
    name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, exclude: without,
    swiftSettings: settings)
}

/// The parts of Foundation that the linker finds only by name: the objects are compiled for the
/// shared libraries. A library precedes those that it uses.
let foundation = [
  "CoreFoundation", "_FoundationCShims", "_FoundationCollections", "_FoundationICU", "stdc++",
]

/// The programs contain Swift's runtime, so that they run where no toolchain is installed, except
/// with `sharesRuntime`: tests can only import a program that shares the runtime with them.
func executable(
  _ name: String, sharesRuntime: Bool = false, imports dependencies: String...
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies.map { .init(stringLiteral: $0) },
    swiftSettings: settings,
    linkerSettings: sharesRuntime
      ? [] : [.unsafeFlags(["-static-stdlib"])] + foundation.map { .linkedLibrary($0) })
}

func support(
  _ name: String, imports dependencies: String..., without: [String] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies.map { .init(stringLiteral: $0) },
    path: "Tests/\(name)", exclude: without, swiftSettings: settings)
}

func tests(_ name: String, imports dependencies: String..., without: [String] = []) -> Target {
  .testTarget(
    name: name,
    dependencies: (dependencies + ["Requirements"]).map { .init(stringLiteral: $0) },
    exclude: without, swiftSettings: settings)
}

let package = Package(
  name: "TrackMe",
  products: [
    .library(name: "AutomatedSOS", targets: ["AutomatedSOS"]),
    .executable(name: "gateway", targets: ["gateway"]),
    .executable(name: "data4help", targets: ["data4help"]),
    .executable(name: "track4run", targets: ["track4run"]),
    .executable(name: "trackme", targets: ["trackme"]),
    .executable(name: "trackme-lab", targets: ["trackme-lab"]),
  ],
  targets: [
    system("CLinux", apt: "libc6-dev"),
    system("CPostgres", pkgConfig: "libpq", apt: "libpq-dev"),
    system("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    system("CNghttp2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
    system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    system("CArgon2", pkgConfig: "libargon2", apt: "libargon2-dev"),
    system("CExpat", pkgConfig: "expat", apt: "libexpat1-dev"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    system("CQRencode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),

    module("Bytes"),
    module("Time", imports: "Bytes"),
    module("EventLoop", imports: "Time", "CLinux"),
    module("JSON", imports: "Bytes"),
    module("Operations", imports: "EventLoop", "JSON"),
    module("HTTP", imports: "Operations", "COpenSSL", "CNghttp2"),
    module("Web", imports: "HTTP"),
    module("Postgres", imports: "Operations", "CPostgres"),
    module("Cryptography", imports: "Bytes", "COpenSSL", "CArgon2"),
    module("Mail", imports: "Postgres", "Cryptography", "CCurl"),
    module("Webhooks", imports: "Operations", "Cryptography", "CCurl"),
    module("Payments", imports: "Webhooks"),
    module("XML", imports: "CExpat"),
    module("Zip", imports: "CZlib"),
    module("Images", imports: "CQRencode", "CZlib"),
    module("AutomatedSOS"),
    module("Domain", imports: "Time"),
    module("Telephony", imports: "Operations", "Domain"),
    module("PublicAPI", imports: "Web", "Domain"),
    module("ServiceKit", imports: "PublicAPI", "Postgres", "Cryptography"),
    module("InternalAPI", imports: "ServiceKit"),
    module("Accounts", imports: "InternalAPI", "Mail", "Webhooks", "AutomatedSOS"),
    module("HealthRecords", imports: "Accounts", "XML", "Zip"),
    module("Sharing", imports: "HealthRecords", "Payments"),
    module("GroupStatistics", imports: "Sharing"),
    module("Emergencies", imports: "Sharing", "AutomatedSOS", "Telephony"),
    module("Data4Help", imports: "GroupStatistics", "Emergencies"),
    module("Data4HelpSync", imports: "InternalAPI"),
    module("Runs", imports: "Data4HelpSync", "XML", "Images"),
    module("LiveRuns", imports: "Runs"),
    module("MapTiles", imports: "ServiceKit", "Webhooks"),
    module("Track4Run", imports: "LiveRuns", "MapTiles"),
    module(
      "WebApp",
      without: [
        "Client", "Elements", "Pages", "Pictures", "Shell", "Style", "Text", "tsconfig.json",
        "tsconfig.worker.json",
      ], imports: "Operations", "JSON", "Cryptography", "CZlib"),
    module("Gateway", imports: "ServiceKit", "WebApp"),
    module("Installation", imports: "Postgres", "Cryptography"),
    module("OperatorTool", imports: "Installation", "Emergencies", "Runs"),

    executable("gateway", imports: "Gateway"),
    executable("data4help", imports: "Data4Help"),
    executable("track4run", imports: "Track4Run"),
    executable("trackme", imports: "OperatorTool"),
    executable(
      "trackme-lab", sharesRuntime: true,
      imports: "Installation", "Data4Help", "LiveRuns", "AutomatedSOS"),

    support("Requirements"),
    support("Support", imports: "Bytes", "EventLoop", "CLinux"),
    support("HTTPFixture", imports: "Web", "CLinux"),
    support("PostgresFixture", imports: "Postgres", "Support"),
    support("Data4HelpFixture", imports: "Data4Help", "PostgresFixture", "Support"),
    support("FakeServices", imports: "InternalAPI"),
    support("Track4RunFixture", imports: "LiveRuns", "PostgresFixture", "Support"),
    support("TelephoneFixture", imports: "Support", without: ["answerer.py"]),
    support(
      "FuzzTargets",
      imports: "JSON", "Web", "Domain", "HealthRecords", "LiveRuns", "Images", "AutomatedSOS",
      "Gateway"),
    tests("BytesTests", imports: "Cryptography", "Support"),
    tests("EventLoopTests", imports: "EventLoop", "Support"),
    tests("JSONTests", imports: "JSON", "FuzzTargets", "Support"),
    tests("FuzzTests", imports: "FuzzTargets", "Support"),
    tests("OperationsTests", imports: "Operations"),
    tests("HTTPTests", imports: "HTTP", "HTTPFixture", "FuzzTargets", "Support"),
    tests("WebTests", imports: "Web", "HTTPFixture", "Support"),
    tests(
      "PostgresTests", imports: "HTTP", "Postgres", "PostgresFixture", "Support",
      without: ["Schema"]),
    tests("CryptographyTests", imports: "Cryptography", "Support"),
    tests("MailTests", imports: "Mail", "PostgresFixture", "Support"),
    tests("WebhooksTests", imports: "Webhooks", "Support"),
    tests("ZipTests", imports: "Zip", "Support"),
    tests("ImagesTests", imports: "Images"),
    tests("AutomatedSOSTests", imports: "AutomatedSOS", "Support"),
    tests("DomainTests", imports: "Domain", "Support"),
    tests("TelephonyTests", imports: "Telephony", "Cryptography", "TelephoneFixture"),
    tests("PublicAPITests", imports: "PublicAPI"),
    tests(
      "ServiceKitTests", imports: "ServiceKit", "HTTPFixture", "PostgresFixture", "Support"),
    tests("InternalAPITests", imports: "InternalAPI", "Support"),
    tests("AccountsTests", imports: "Data4HelpFixture", "Support"),
    tests("HealthRecordsTests", imports: "Data4HelpFixture", "FuzzTargets", "trackme-lab"),
    tests("SharingTests", imports: "Data4HelpFixture"),
    tests("GroupStatisticsTests", imports: "Data4HelpFixture"),
    tests("EmergenciesTests", imports: "Data4HelpFixture", "TelephoneFixture"),
    tests("Data4HelpTests", imports: "Data4HelpFixture", "Support", "trackme-lab"),
    tests(
      "Data4HelpSyncTests", imports: "Data4HelpSync", "FakeServices", "PostgresFixture", "Support"),
    tests("RunsTests", imports: "Runs", "Track4RunFixture"),
    tests("LiveRunsTests", imports: "LiveRuns", "Track4RunFixture"),
    tests("MapTilesTests", imports: "MapTiles", "Support"),
    tests("Track4RunTests", imports: "Track4Run", "Track4RunFixture", "FakeServices"),
    tests("WebAppTests", imports: "WebApp"),
    tests(
      "GatewayTests", imports: "Gateway", "InternalAPI", "HTTPFixture", "PostgresFixture", "Support"
    ),
    tests("TraceTests", imports: "trackme-lab"),
    tests(
      "SupervisorTests", imports: "OperatorTool", "trackme-lab", "PostgresFixture", "Support"),
    tests(
      "Journeys", imports: "Web", "Cryptography", "CLinux", "TelephoneFixture", "Support",
      without: [
        "requirements.txt", "schemathesis", "broker.py", "mailserver.py", "stalled.py",
        "stalled_spectators.py",
        "scan.py", "tileserver.py", "pushserver.py",
        "Fixture/FullDisk.c", "Fixture/AllocationCounter.c",
      ]),
    tests("Tidy", imports: "Support"),
  ]
)

// SwiftPM compiles a module anew only when one that its target names has changed: it is told of
// those as well that these import in turn.
let imports: [String: [String]] = package.targets.reduce(into: [:]) { imports, target in
  imports[target.name] = target.dependencies.compactMap { dependency in
    if case .byNameItem(let name, _) = dependency { name } else { nil }
  }
}

func reached(from name: String) -> Set<String> {
  (imports[name] ?? []).reduce(into: []) { $0.formUnion(reached(from: $1).union([$1])) }
}

for target in package.targets {
  target.dependencies = reached(from: target.name).sorted().map { .init(stringLiteral: $0) }
}

// The driver links libFuzzer, which only `make fuzz` asks for.
if ProcessInfo.processInfo.environment["TRACKME_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/Driver",
      swiftSettings: settings))
}
