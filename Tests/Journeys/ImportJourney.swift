import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("Importing an export, through the gateway")
struct ImportJourney {
  /// The approximate size of the generated export; the benchmark uses the 300 MB of a real one.
  private static let megabytes = 10

  private func send(
    _ export: [UInt8], _ type: String, by user: SingleUser, key: String? = nil
  ) async throws -> Reply {
    try await user.client.send(
      .post, "/data/import?format=apple-health", token: user.token, body: export, mediaType: type,
      fields: key.map { [("idempotency-key", $0)] } ?? [])
  }

  /// A generated export.
  private func generate(_ megabytes: Int, on system: TestSystem) async throws -> [UInt8] {
    let path = "\(system.directory)/export-of-\(megabytes).xml"
    let generation = try await Program(
      command: [
        "\(TestSystem.programs)/trackme-lab", "generate", "apple-health", "--megabytes",
        "\(megabytes)", "--output", path,
      ]
    ).run()
    try #require(generation.isSuccess, "\(generation.output)")
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  /// Polls the progress until the import is complete.
  private func outcome(_ reply: Reply, of user: SingleUser) async throws -> JSONValue {
    try #require(reply.status == 202, "\(reply.text)")
    let identifier = try #require(reply.json.importID.text)
    return try await eventually("the end of the import", within: .seconds(300)) {
      let progress = try await user.get("/data/import?importID=\(identifier)").json
      return progress.state == "running" ? nil : progress
    }
  }

  @Test(
    "a generated export loads, plain and zipped, and the second time adds nothing", .tags(.DAT_6))
  func generated() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser(.http2)
    for (flags, type) in [([], "application/xml"), (["--zip"], "application/zip")] {
      let path = "\(system.directory)/export-\(flags.count)"
      let generation = try await Program(
        command: [
          "\(TestSystem.programs)/trackme-lab", "generate", "apple-health", "--megabytes",
          "\(Self.megabytes)", "--output", path,
        ] + flags
      ).run()
      try #require(generation.isSuccess, "\(generation.output)")
      let export = Array(try Data(contentsOf: URL(filePath: path)))
      let end = try await outcome(try await send(export, type, by: user), of: user)
      #expect(end.state == "done", "\(end)")
      #expect(end.bytesRead == end.bytesTotal)
      let samples = try #require(end.samples.int)
      #expect(samples > 1000)
      // An export with several sources contains duplicates.
      let stored = try #require(end.stored.int)
      #expect(end.duplicates.int == samples - stored, "\(end)")
      #expect(flags.isEmpty ? stored > 1000 : stored == 0, "\(end)")
    }
    let stats = try await user.get("/data/stats?types=heartRate").json
    #expect(try #require(stats.dataTypes[0].countMember.int) > 100)
  }

  @Test(
    "the files of Health Auto Export and GPX load, plain and zipped", .tags(.DAT_6),
    arguments: [
      ("health-auto-export", "application/json", "steps"),
      ("gpx", "application/gpx+xml", "heartRate"),
    ])
  func otherFormats(_ format: String, _ mediaType: String, _ dataType: String) async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    for (flags, type) in [([], mediaType), (["--zip"], "application/zip")] {
      let path = "\(system.directory)/\(format)-\(flags.count)"
      let generation = try await Program(
        command: [
          "\(TestSystem.programs)/trackme-lab", "generate", format, "--megabytes", "1", "--output",
          path,
        ] + flags
      ).run()
      try #require(generation.isSuccess, "\(generation.output)")
      let file = Array(try Data(contentsOf: URL(filePath: path)))
      let reply = try await user.client.send(
        .post, "/data/import?format=\(format)", token: user.token, body: file, mediaType: type)
      let end = try await outcome(reply, of: user)
      #expect(end.state == "done", "\(end)")
      let samples = try #require(end.samples.int)
      #expect(samples > 1000)
      #expect(end.stored.int == (flags.isEmpty ? samples : 0), "\(end)")
    }
    let stats = try await user.get("/data/stats?types=\(dataType)").json
    #expect(try #require(stats.dataTypes[0].countMember.int) > 100)
    let wrong = try await user.client.send(
      .post, "/data/import?format=fit", token: user.token, body: [1, 2, 3, 4],
      mediaType: "application/octet-stream")
    #expect(wrong.outcome == .malformed)
    #expect(wrong.field == "format")
  }

  @Test(
    "a malformed export is rejected as a whole, with line and column", .tags(.DAT_6))
  func malformed() async throws {
    let user = try await TestSystem.shared().singleUser()
    let record =
      "<Record type=\"HKQuantityTypeIdentifierHeartRate\" sourceName=\"Watch\" unit=\"count/min\" "
      + "startDate=\"2024-01-15 10:00:00 +0100\" endDate=\"2024-01-15 10:00:00 +0100\" "
      + "value=\"62\"/>"
    let exports = [
      ("<?xml version=\"1.0\"?>\n<HealthData>\n\(record)\n</HealthDat>\n", 4),
      (
        "<?xml version=\"1.0\"?>\n<!DOCTYPE HealthData [\n<!ENTITY a \"b\">\n]>\n"
          + "<HealthData>\(record)</HealthData>", 3
      ),
    ]
    for (text, line) in exports {
      let reply = try await send(Array(text.utf8), "application/xml", by: user)
      let end = try await outcome(reply, of: user)
      #expect(end.state == "failed")
      #expect(end.error.line.int == line, "\(end)")
      #expect(end.error.column.int != nil)
      #expect(end.error.detail.text != nil)
    }
    #expect(try await user.get("/data/stats").json.dataTypes.count == 0)
  }

  @Test(
    "a truncated export, plain or zipped, is rejected as a whole, with the position",
    .tags(.DAT_6))
  func cutOff() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    for (flags, type, end) in [
      ([], "application/xml", "The file ends before its root element does"),
      (["--zip"], "application/zip", "The zip ends before the export.xml in it does"),
    ] {
      let path = "\(system.directory)/cut-off-\(flags.count)"
      let generation = try await Program(
        command: [
          "\(TestSystem.programs)/trackme-lab", "generate", "apple-health", "--megabytes", "1",
          "--output", path,
        ] + flags
      ).run()
      try #require(generation.isSuccess, "\(generation.output)")
      let export = Array(try Data(contentsOf: URL(filePath: path)))
      let reply = try await send(Array(export[..<(export.count / 2)]), type, by: user)
      let outcome = try await outcome(reply, of: user)
      #expect(outcome.state == "failed", "\(outcome)")
      #expect(try #require(outcome.error.detail.text).hasPrefix(end), "\(outcome)")
      #expect(try #require(outcome.error.line.int) > 1, "\(outcome)")
      #expect(try #require(outcome.error.column.int) >= 1, "\(outcome)")
      #expect(outcome.stored.int == 0, "\(outcome)")
    }
    #expect(try await user.get("/data/stats").json.dataTypes.count == 0)
  }

  @Test("an import repeated under its key is executed once", .tags(.NFR_4))
  func repeated() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let export = try await generate(1, on: system)
    let first = try await send(export, "application/xml", by: user, key: "import")
    #expect(try await outcome(first, of: user).state == "done")
    let second = try await send(export, "application/xml", by: user, key: "import")
    #expect((second.status, second.body) == (202, first.body))
    let other = try await send(export + [0x20], "application/xml", by: user, key: "import")
    #expect(other.outcome == Outcome(422, "Key reused"))
    #expect(try await send(export, "application/xml", by: user).body != first.body)
  }

  @Test("an empty file is refused at once", .tags(.DAT_6))
  func empty() async throws {
    let user = try await TestSystem.shared().singleUser()
    let reply = try await send([], "application/xml", by: user)
    #expect(reply.outcome == .malformed, "\(reply.text)")
  }

  @Test("a large export is imported in flat memory", .tags(.DAT_6))
  func flatMemory() async throws {
    let system = try await TestSystem()
    let user = try await system.singleUser()
    // The base memory of an import is allocated before, in each replica.
    let small = try await generate(4, on: system)
    for _ in 0..<4 {
      let reply = try await send(small, "application/xml", by: user)
      #expect(try await outcome(reply, of: user).state == "done")
    }
    let names = ["gateway", "data4help-1", "data4help-2"]
    let before = try names.map { try system.memoryMax(of: $0) }
    let large = try await generate(48, on: system)
    let end = try await outcome(try await send(large, "application/xml", by: user), of: user)
    #expect(end.state == "done", "\(end)")
    for (name, before) in zip(names, before) {
      let grown = try system.memoryMax(of: name) - before
      #expect(grown < large.count / 2, "\(name) has grown by \(grown) bytes")
    }
    await system.stop()
  }

  @Test(
    "another account's import is not found, and an unknown format is malformed", .tags(.DAT_6, .R9))
  func others() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let export = Array("<?xml version=\"1.0\"?><HealthData></HealthData>".utf8)
    let reply = try await send(export, "application/xml", by: user)
    let identifier = try #require(reply.json.importID.text, "\(reply.text)")
    let stranger = try await system.singleUser()
    let look = try await stranger.get("/data/import?importID=\(identifier)")
    #expect(look.outcome == Outcome(404, "Not found"))
    let other = try await user.client.send(
      .post, "/data/import?format=tcx", token: user.token, body: export,
      mediaType: "application/xml")
    #expect(other.outcome == .malformed)
  }
}
