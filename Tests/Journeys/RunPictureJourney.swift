import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("The picture of a run, through the gateway")
struct RunPictureJourney {
  /// A picture as written by a phone, with position, author and other metadata.
  private static func file(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return Array(try Data(contentsOf: folder.appending(path: "Fuzz/Corpora/picture/\(name)")))
  }

  private func upload(
    _ file: [UInt8], _ type: String?, to runID: Int, by party: ThirdParty
  ) async throws -> Reply {
    try await party.client.send(
      .post, "/t4r/org/picture?runID=\(runID)", token: party.token, body: file, mediaType: type)
  }

  /// A picture as decoded by Pillow: format, mode, size, metadata.
  private func seen(_ bytes: [UInt8], _ system: TestSystem) async throws -> String {
    let file = "\(system.directory)/picture-\(UUID().uuidString)"
    try Data(bytes).write(to: URL(filePath: file))
    let script = """
      import sys, PIL.Image
      with PIL.Image.open(sys.argv[1]) as picture:
          picture.load()
          notes = sorted(set(picture.info) - {"dpi"})
          print(picture.format, picture.size, notes, dict(picture.getexif()))
      """
    let outcome = try await Program(command: [TestSystem.python, "-c", script, file]).run()
    return outcome.output.trimmingCharacters(in: .newlines)
  }

  @Test(
    "an organiser uploads a run's picture, which is published without the camera's metadata",
    .tags(.R38))
  func published() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runID = try await organiser.createRun(RunOfTest.terms())
    let reply = try await upload(
      try Self.file("camera.jpg"), "image/jpeg", to: runID, by: organiser)
    #expect(reply.outcome == .ok, "\(reply.text)")
    #expect((reply.json.width, reply.json.height) == (24, 16))
    let code = try await organiser.draw(RunOfTest.path(), for: runID)
    let anyone = try PublicClient(system)
    let run = try await anyone.get("/t4r/run/\(code)").json
    let path = "/t4r/run/\(code)/picture"
    #expect(run.picture.text == "https://localhost:\(system.httpsPort)\(path)")
    let listed = try await anyone.get("/t4r/active/list?code=\(code)").json.run[0]
    #expect(listed.picture == run.picture)
    let shown = try await anyone.get(path)
    #expect(shown.fields[.contentType] == "image/jpeg")
    #expect(Data(shown.body).range(of: Data("anary".utf8)) == nil)
    #expect(try await seen(shown.body, system) == "JPEG (24, 16) ['exif'] {274: 6}")
    let tag = try #require(shown.fields[.etag])
    let again = try await anyone.get(path, fields: [("if-none-match", tag)])
    #expect((again.status, again.body) == (304, []))

    let second = try await upload(
      try Self.file("camera.png"), "image/png", to: runID, by: organiser)
    #expect(second.outcome == .ok, "\(second.text)")
    let changed = try await anyone.get(path, fields: [("if-none-match", tag)])
    #expect(changed.fields[.contentType] == "image/png")
    #expect(try await seen(changed.body, system) == "PNG (24, 16) [] {}")
    let cancel: JSONValue = ["runID": .number(Double(runID))]
    #expect(try await organiser.post("/t4r/org/cancel", cancel).outcome == .ok)
    #expect(try await anyone.get(path).outcome == Outcome(404, "Not found"))
    let late = try await upload(try Self.file("grey.jpg"), "image/jpeg", to: runID, by: organiser)
    #expect(late.outcome == Outcome(409, "Wrong state"))
  }

  @Test("a file that is not a picture or too large, or for another's run, is refused", .tags(.R38))
  func refused() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runID = try await organiser.createRun(RunOfTest.terms())
    let code = try await organiser.draw(RunOfTest.path(), for: runID)
    let jpeg = try Self.file("grey.jpg")
    let wrong: [([UInt8], String, Outcome)] = [
      (jpeg, "image/gif", Outcome(415, "Wrong media type")),
      (jpeg, "image/png", Outcome(415, "Wrong media type")),
      (try Self.file("refused-other.gif"), "image/png", .malformed),
      (try Self.file("refused-cut.jpg"), "image/jpeg", .malformed),
      (try Self.file("refused-huge.jpg"), "image/jpeg", Outcome(413, "Too large")),
      (jpeg + Array(repeating: 0, count: 4 * 1024 * 1024), "image/jpeg", Outcome(413, "Too large")),
      ([], "image/jpeg", .malformed), (Array("<svg/>".utf8), "image/jpeg", .malformed),
    ]
    for (file, type, outcome) in wrong {
      let reply = try await upload(file, type, to: runID, by: organiser)
      #expect(reply.outcome == outcome, "\(type), \(file.count) bytes: \(reply.text)")
    }
    let other = try await system.thirdParty()
    for (party, run) in [(other, runID), (organiser, 999_999)] {
      let reply = try await upload(jpeg, "image/jpeg", to: run, by: party)
      #expect(reply.outcome == Outcome(404, "Not found"))
    }
    let user = try await system.singleUser()
    let person = try await user.client.send(
      .post, "/t4r/org/picture?runID=\(runID)", token: user.token, body: jpeg,
      mediaType: "image/jpeg")
    #expect(person.outcome == Outcome(401, "Wrong token"))
    let missing = try await organiser.client.send(
      .post, "/t4r/org/picture", token: organiser.token, body: jpeg, mediaType: "image/jpeg")
    #expect(missing.field == "runID")
    let anyone = try PublicClient(system)
    let none = try await anyone.get("/t4r/run/\(code)/picture")
    #expect(none.outcome == Outcome(404, "Not found"))
    #expect(try await anyone.get("/t4r/run/\(code)").json.picture.isNull)
    #expect(try await anyone.get("/t4r/active/list?code=\(code)").json.run[0].picture.isNull)

    // People with the run's page open are notified of a later picture.
    let named: JSONValue = ["runID": .number(Double(runID))]
    #expect(try await anyone.post("/t4r/active/spec", named).json.picture.isNull)
    let given = try await upload(jpeg, "image/jpeg", to: runID, by: organiser)
    #expect(given.outcome == .ok, "\(given.text)")
    let link = "https://localhost:\(system.httpsPort)/t4r/run/\(code)/picture"
    _ = try await eventually("the picture of a followed run") {
      let run = try await anyone.post("/t4r/active/spec", named).json
      return run.picture.text == link ? true : nil
    }
  }
}
