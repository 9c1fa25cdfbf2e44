import Foundation
import Requirements
import Support
import Testing

/// The published document as used by two independent programs.
@Suite("The OpenAPI document, read by independent programs")
struct OpenAPIJourney {
  /// The calls of each endpoint that must succeed: an endpoint whose calls are all refused is
  /// untested.
  static let acceptedMin = 5
  /// Event streams, whose responses have no end for the fuzzer to wait for.
  static let endless = ["accountStream", "thirdPartyStream", "watchRun"]
  /// Endpoints that need a server of the operator's choice, which this system does not have.
  static let unconfigured = ["mapTile"]

  @Test("a validator accepts the document as OpenAPI 3.1", .tags(.GW_2))
  func valid() async throws {
    let system = try await TestSystem.shared()
    let document = try await PublicClient(system).get("/openapi.json")
    #expect(document.json.openapi == "3.1.0")
    let path = "\(system.directory)/openapi-\(UUID().uuidString).json"
    try Data(document.body).write(to: URL(filePath: path))
    let outcome = try await Program(
      command: [TestSystem.python, "-m", "openapi_spec_validator", "--schema", "3.1", path]
    ).run()
    #expect(outcome.isSuccess, "\(outcome.output)")
  }

  @Test(
    "a fuzzer that only knows the document finds no 5xx and no undocumented response",
    .tags(.GW_2))
  func fuzzed() async throws {
    // Only subscriptions have a price, so that payments can be tested. Emergencies are dispatched
    // after one second, and any third party may answer them.
    let system = try await TestSystem([
      "TRACKME_PRICE_SUBSCRIPTION": "700", "TRACKME_HOSPITALS": "open", "TRACKME_SOS_ABORT": "1",
    ])
    let seed = ProcessInfo.processInfo.environment["TRACKME_FUZZ_SEED"] ?? "20240229"
    print("schemathesis: seed \(seed); another one by TRACKME_FUZZ_SEED")
    let fuzzer = Fuzzer(system: system, seed: seed)
    let outcome = try await fuzzer.run()
    let counts = try fuzzer.table()
    let names = try await Self.operations(of: system)
    await system.stop()
    print(Self.text(counts, of: names))
    #expect(outcome.isSuccess, "\(outcome.output)")
    #expect(!names.isEmpty)
    for name in names where !Self.unconfigured.contains(name) {
      let accepted = counts[name].accepted.int ?? 0
      #expect(accepted >= Self.acceptedMin, "\(name): too few accepted calls")
    }
  }

  /// The endpoints of the document without the document's own, which the fuzzer only reads.
  private static func operations(of system: TestSystem) async throws -> [String] {
    let document = try await PublicClient(system).get("/openapi.json").json
    guard case .object(let paths) = document.paths else { return [] }
    let names = paths.values.flatMap { path in
      guard case .object(let methods) = path else { return [String]() }
      return methods.values.compactMap(\.operationId.text)
    }
    return names.filter { $0 != "openAPI" && !endless.contains($0) }.sorted()
  }

  /// The table of calls, one line per endpoint.
  private static func text(_ counts: JSONValue, of names: [String]) -> String {
    let lines = names.map { name in
      let row = counts[name]
      let column = name.padding(toLength: 22, withPad: " ", startingAt: 0)
      return "\(column) accepted \(row.accepted) of \(row.calls): \(row.statuses)"
    }
    return "schemathesis, calls of each endpoint by status:\n" + lines.joined(separator: "\n")
  }
}

/// One run of schemathesis with the hooks next to this file.
private struct Fuzzer {
  let system: TestSystem
  let seed: String
  /// The maximum number of generated calls of an endpoint in each generating phase.
  private let examplesMax = 30
  private static let checks = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_headers_conformance", "response_schema_conformance", "negative_data_rejection",
    "unsupported_method", "allow_header_conformance",
  ]

  private var tablePath: String { system.directory + "/fuzzed.json" }
  private var url: String { "http://localhost:\(system.httpPort)" }

  func run() async throws -> Program.Outcome {
    let hooks = URL(filePath: #filePath).deletingLastPathComponent().path + "/schemathesis"
    // Its cache is created in the working directory and removed with it.
    return try await Program(
      command: [
        "/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", system.directory, TestSystem.python, "-m",
        "schemathesis.cli", "run", "\(url)/openapi.json", "--url", url,
        "--phases", "examples,coverage,fuzzing", "--max-examples", "\(examplesMax)",
        "--seed", seed, "--generation-database", "none", "--checks",
        Self.checks.joined(separator: ","), "--continue-on-failure", "--no-color",
        "--warnings", "off", "--request-timeout", "60", "--suppress-health-check", "all",
      ] + OpenAPIJourney.endless.flatMap { ["--exclude-operation-id", $0] },
      environment: [
        "PYTHONPATH": hooks, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONDONTWRITEBYTECODE": "1",
        "TRACKME_FUZZ_URL": url, "TRACKME_FUZZ_MAIL": system.directory + "/mail",
        "TRACKME_FUZZ_SIGNING": system.state + "/keys/broker.signing",
        "TRACKME_FUZZ_TABLE": tablePath, "TRACKME_FUZZ_RUN": seed,
      ]
    ).run()
  }

  func table() throws -> JSONValue {
    try JSONValue(Array(try Data(contentsOf: URL(filePath: tablePath))))
  }
}
