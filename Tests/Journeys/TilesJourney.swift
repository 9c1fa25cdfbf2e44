import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("Map tiles, through the gateway and a tile server")
struct TilesJourney {
  @Test(
    "a tile is fetched once by TrackMe, which tells the tile server nothing about its readers",
    .tags(.UI_11, .NFR_5), .timeLimit(.minutes(5)))
  func tiles() async throws {
    let server = try await TileServerProcess()
    defer { server.stop() }
    let system = try await TestSystem(server.settings)
    let reader = try PublicClient(system, .http2)
    let path = "/t4r/tiles/12/2153/1466"
    let tile = try await reader.get(path, fields: [("user-agent", "Somebody's browser")])
    #expect(tile.outcome == .ok, "\(tile.text)")
    #expect(tile.fields[.contentType] == "image/png")
    #expect(tile.fields[.cacheControl] == "public, max-age=86400")
    #expect(!tile.fields.contains(.setCookie))
    #expect(Data(tile.body).range(of: Data("/12/2153/1466.png".utf8)) != nil)
    let tag = try #require(tile.fields[.etag])
    let again = try await reader.get(path, fields: [("if-none-match", tag)])
    #expect((again.status, again.body) == (304, []))
    #expect(try await PublicClient(system).get(path).body == tile.body)
    let sent = try server.requests()
    #expect(sent.count == 1)
    #expect(
      sent.first
        == "/12/2153/1466.png TrackMe (https://localhost:\(system.httpsPort)) "
        + "['accept', 'host', 'user-agent']")

    #expect(try await reader.get("/t4r/tiles/0/0/0").outcome == Outcome(404, "Not found"))
    #expect(try await reader.get("/t4r/tiles/2/4/0").outcome == Outcome(404, "Not found"))
    #expect(try await reader.get("/t4r/tiles/20/0/0").outcome == .malformed)
    #expect(try await reader.get("/t4r/tiles/2/01/0").outcome == .malformed)
    // A script in place of a picture is not served from this origin.
    #expect(try await reader.get("/t4r/tiles/1/0/0").outcome == Outcome(502, "Bad gateway"))
    let page = try await reader.get("/app", fields: [("accept", "text/html")])
    #expect(page.text.contains("<meta name=\"trackme-tiles\" content=\"© Tests &amp; others\">"))
    #expect(page.text.contains("<meta name=\"trackme-contact\" content=\"help@tests.example\">"))
    await system.stop()
  }

  @Test("without a tile server there are no tiles", .tags(.UI_11))
  func none() async throws {
    let system = try await TestSystem.shared()
    let reader = try PublicClient(system, .http1)
    #expect(try await reader.get("/t4r/tiles/3/1/1").outcome == Outcome(404, "Not found"))
    let page = try await reader.get("/app", fields: [("accept", "text/html")])
    #expect(page.text.contains("<meta name=\"trackme-tiles\" content=\"\">"))
  }

  @Test(
    "a tile server without the note on its rights keeps the service from starting", .tags(.UI_11))
  func unattributed() async throws {
    let system = try await TestSystem.shared()
    let variables = ["TRACKME_TILES_URL": "https://tile.example/{z}/{x}/{y}.png"]
    let address = "unix:\(system.directory)/no-service.sock"
    let environment = variables.merging([
      "TRACKME_STATE": system.state, "TRACKME_LISTEN": address,
      "TRACKME_DATA4HELP_ADDRESSES": address, "TRACKME_METRICS_PORT": "\(try FreePorts.take())",
    ]) { $1 }
    let outcome = try await Program(
      command: ["timeout", "60", TestSystem.programs + "/track4run"], environment: environment
    ).run()
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("TRACKME_TILES_ATTRIBUTION is required"), "\(outcome.output)")
  }
}

/// A tile server of our own: `tileserver.py`.
struct TileServerProcess {
  private let process: pid_t
  private let log: String
  private let port: UInt16

  init() async throws {
    let port = try FreePorts.take()
    self.port = port
    log = FileManager.default.temporaryDirectory.path + "/tmtiles-\(UUID().uuidString)"
    let folder = URL(filePath: #filePath).deletingLastPathComponent().path
    process = try await Program(command: [
      TestSystem.python, "\(folder)/tileserver.py", "\(port)", log,
    ]).serve(output: "\(log).errors")
    try await eventually("the tile server") { FreePorts.isListenedOn(port) }
  }

  /// The settings of an installation that uses it.
  var settings: [String: String] {
    [
      "TRACKME_TILES_URL": "http://127.0.0.1:\(port)/{z}/{x}/{y}.png",
      "TRACKME_TILES_ATTRIBUTION": "© Tests & others", "TRACKME_CONTACT": "help@tests.example",
    ]
  }

  /// The requests that it received: path, program, and names of the fields.
  func requests() throws -> [String] {
    String(decoding: try Data(contentsOf: URL(filePath: log)), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  func stop() {
    kill(process, SIGKILL)
    for file in [log, "\(log).errors"] { try? FileManager.default.removeItem(atPath: file) }
  }
}
