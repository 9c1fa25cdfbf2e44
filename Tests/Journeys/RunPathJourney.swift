import HTTP
import Requirements
import Support
import Testing

@Suite("A path from a GPX file, through the gateway")
struct RunPathJourney {
  private func draw(
    _ file: String, for runID: String, by party: ThirdParty,
    as type: String = "application/gpx+xml",
    key: String? = nil
  ) async throws -> Reply {
    try await party.client.send(
      .post, "/t4r/org/path\(runID)", token: party.token, body: Array(file.utf8), mediaType: type,
      fields: key.map { [("idempotency-key", $0)] } ?? [])
  }

  /// A GPX file with one track through the points of a test path.
  private func gpx(_ path: JSONValue, _ more: String = "") -> String {
    let points = path.items.compactMap(\.coordinate.text).map { text in
      let parts = text.split(separator: ",")
      return
        "<trkpt lat=\"\(parts[0])\" lon=\"\(parts[1])\"><time>2026-01-01T08:00:00Z</time></trkpt>"
    }
    return "<?xml version=\"1.0\"?>\n<gpx version=\"1.1\" creator=\"x\" "
      + "xmlns=\"http://www.topografix.com/GPX/1/1\">\(more)<trk><trkseg>\n"
      + points.joined(separator: "\n") + "</trkseg></trk></gpx>"
  }

  @Test(
    "an organiser sends the track as a file, and receives a code as for points", .tags(.R38, .RUN_4)
  )
  func drawn() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runID = try await organiser.createRun(RunOfTest.terms())
    let path = RunOfTest.path()
    let file = gpx(path)
    let reply = try await draw(file, for: "?runID=\(runID)", by: organiser, key: "path")
    #expect(reply.outcome == .ok, "\(reply.text)")
    #expect(reply.json.message == "Run created successfully")
    let code = try #require(reply.json.code.text)
    let run = try await PublicClient(system).get("/t4r/run/\(code)").json
    #expect(run.endPoint == path[1].coordinate)
    let again = try await draw(file, for: "?runID=\(runID)", by: organiser, key: "path")
    #expect(again.json.code.text == code)
    let other = try await draw(file, for: "?runID=\(runID + 1)", by: organiser, key: "path")
    #expect(other.outcome == Outcome(422, "Key reused"))
    // A large device file above the size limit of a JSON body is accepted.
    let filler = String(repeating: "<wpt lat=\"1\" lon=\"2\"><name>x</name></wpt>\n", count: 40_000)
    let large = try await draw(gpx(path, filler), for: "?runID=\(runID)", by: organiser)
    #expect(large.json.code.text == code, "\(large.text)")
  }

  @Test(
    "a file that is not GPX, or not a path, is refused with the position, and changes nothing",
    .tags(.RUN_1))
  func refused() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runID = try await organiser.createRun(RunOfTest.terms())
    let good = gpx(RunOfTest.path())
    let wrong: [(String, String, Outcome)] = [
      ("<gpx>", "", .malformed), ("", "", .malformed), ("{\"runID\":1}", "", .malformed),
      (good.replacing("lon=\"9.19\"", with: "lon=\"199\""), "Line 3, column 1: ", .malformed),
      ("<!DOCTYPE gpx [<!ENTITY a \"a\">]><gpx>&a;</gpx>", "Line 1, column ", .malformed),
      ("<gpx></gpx>", "A path has at least two", Outcome(401, "Invalid path")),
      (String(repeating: " ", count: 4 * 1024 * 1024) + good, "", Outcome(413, "Too large")),
    ]
    for (file, words, outcome) in wrong {
      let reply = try await draw(file, for: "?runID=\(runID)", by: organiser)
      #expect(reply.outcome == outcome, "\(file.prefix(60)): \(reply.text)")
      #expect(reply.json.detail.text?.hasPrefix(words) == true, "\(reply.text)")
    }
    let nameless = try await draw(good, for: "", by: organiser)
    #expect((nameless.outcome, nameless.field) == (.malformed, "runID"))
    let other = try await draw(good, for: "?runID=\(runID)", by: organiser, as: "text/plain")
    #expect(other.outcome == Outcome(415, "Wrong media type"))
    let foreign = try await draw(
      good, for: "?runID=\(runID)", by: try await system.thirdParty())
    #expect(foreign.outcome == RunOfTest.wrongRunID)
    let json = try await draw("{}", for: "", by: organiser, as: "application/json")
    #expect(json.outcome == .malformed)
    #expect(try await organiser.get("/t4r/org/list").json.runs[0].code.isNull)
  }

  @Test(
    "paths across the antimeridian and the poles have their length on the globe",
    .tags(.RUN_1))
  func ends() async throws {
    let system = try await TestSystem.shared()
    let anyone = try PublicClient(system)
    // About two kilometres each; across a pole the longitudes do not determine the distance.
    let roads = [
      ["-17.01,179.99", "-17.01,-179.99"], ["89.99,0", "89.99,180"], ["-89.99,90", "-89.99,-90"],
      ["90,0", "89.98,-120"],
    ]
    for road in roads {
      let organiser = try await system.thirdParty()
      let runID = try await organiser.createRun(RunOfTest.terms())
      let code = try await organiser.draw(RunOfTest.points(road), for: runID)
      let named: JSONValue = ["runID": .number(Double(runID))]
      let specification = try await anyone.post("/t4r/active/spec", named)
      #expect(specification.json.path.items.map(\.coordinate.text) == road)
      let length = specification.json.length.number ?? 0
      #expect((2100.0...2300.0).contains(length), "\(road): \(length)")
      let near = try await anyone.get("/t4r/active/list?near=\(road[1])&radius=1000")
      #expect(near.json.run.items.map(\.code.text).contains(code), "\(road)")
      for page in ["/r/\(code)", "/r/\(code)/preview.png"] {
        #expect(try await anyone.get(page).status == 200, "\(page) of \(road)")
      }
      #expect(try await organiser.post("/t4r/org/cancel", named).outcome == .ok)
    }
    // The opposite direction around the earth is an impossible leg.
    let organiser = try await system.thirdParty()
    let runID = try await organiser.createRun(RunOfTest.terms())
    let around: JSONValue = [
      "runID": .number(Double(runID)), "path": RunOfTest.points(["0,179.99", "0,0", "0,-179.99"]),
    ]
    let refused = try await organiser.post("/t4r/org/path", around)
    #expect(refused.outcome == Outcome(401, "Invalid path"))
  }

  @Test(
    "a path has at most twenty thousand points, and a million are refused without being stored",
    .tags(.R38))
  func many() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runID = try await organiser.createRun(RunOfTest.terms())
    func points(_ count: Int) -> JSONValue {
      RunOfTest.points((0..<count).map { "60.\(100_000 + $0),9" })
    }
    func document(_ count: Int) -> JSONValue {
      ["runID": .number(Double(runID)), "path": points(count)]
    }
    // The bodies are built as text, because a million JSON values take hundreds of megabytes.
    let point = "{\"coordinate\":\"60.1,9\"}"
    let repeated = String(repeating: "\(point),", count: 999_999) + point
    let million = try await organiser.client.send(
      .post, "/t4r/org/path", token: organiser.token,
      body: Array("{\"runID\":\(runID),\"path\":[\(repeated)]}".utf8),
      mediaType: "application/json")
    #expect(million.outcome == Outcome(413, "Too large"))
    let track = String(repeating: "<trkpt lat=\"60.1\" lon=\"9\"/>\n", count: 1_000_000)
    let file = gpx(points(2)).replacing("</trkseg>", with: "\(track)</trkseg>")
    let large = try await draw(file, for: "?runID=\(runID)", by: organiser)
    #expect(large.outcome == Outcome(413, "Too large"))
    let over = try await organiser.post("/t4r/org/path", document(20_001))
    #expect([400, 401].contains(over.status), "\(over.text)")
    #expect(over.json.detail.text?.contains("20") == true, "\(over.text)")
    let file20001 = gpx(points(20_001))
    let overFile = try await draw(file20001, for: "?runID=\(runID)", by: organiser)
    #expect(overFile.outcome == .malformed, "\(overFile.text)")
    #expect(try await organiser.get("/t4r/org/list").json.runs[0].code.isNull)
    let whole = try await organiser.post("/t4r/org/path", document(20_000))
    #expect(whole.outcome == .ok, "\(whole.text)")
  }
}
