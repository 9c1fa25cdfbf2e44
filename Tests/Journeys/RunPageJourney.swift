import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("The public page of a run, through the gateway")
struct RunPageJourney {
  private static let name = "Corsa <b>\"dei\" Navigli</b> שלום"

  /// The elements of a page, and texts of some of them, as parsed by Python.
  private func parsed(_ page: [UInt8], _ system: TestSystem) async throws -> JSONValue {
    let file = "\(system.directory)/page-\(UUID().uuidString).html"
    try Data(page).write(to: URL(filePath: file))
    let script = """
      import html.parser, json, sys
      class Page(html.parser.HTMLParser):
          found = {"elements": [], "meta": {}, "images": [], "text": ""}
          def handle_starttag(self, tag, attributes):
              attributes = dict(attributes)
              self.found["elements"].append(tag)
              if tag == "meta" and "property" in attributes:
                  self.found["meta"][attributes["property"]] = attributes["content"]
              if tag == "img":
                  self.found["images"].append(attributes["src"])
          def handle_data(self, text):
              self.found["text"] += text
      page = Page()
      page.feed(open(sys.argv[1], encoding="utf-8").read())
      print(json.dumps(page.found))
      """
    let outcome = try await Program(command: [TestSystem.python, "-c", script, file]).run()
    return try JSONValue(Array(outcome.output.utf8))
  }

  @Test(
    "the link of a run opens a page with all its data and a picture of its course",
    .tags(.RUN_4, .RUN_10))
  func shared() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runID = try await organiser.createRun(
      RunOfTest.terms().merging(["runName": .text(Self.name), "place": "Milano"]))
    let code = try await organiser.draw(RunOfTest.path(), for: runID)
    let runner = try await system.singleUser()
    #expect(try await runner.join(runID, ["runnerName": "Not to be seen yet"]).outcome == .ok)

    let anyone = try PublicClient(system, .http2)
    let page = try await anyone.get("/r/\(code.lowercased())")
    #expect(page.status == 200)
    #expect(page.fields[.contentType] == "text/html; charset=utf-8")
    let policy = try #require(page.fields[.contentSecurityPolicy])
    #expect(policy.hasPrefix("default-src 'none'; img-src 'self'; style-src 'sha256-"))
    let found = try await parsed(page.body, system)
    let elements = found.elements.items.map(\.text)
    #expect(!elements.contains("script") && !elements.contains("b"))
    #expect(found["text"].text?.contains(Self.name) == true)
    #expect(found["text"].text?.contains("1 / 10") == true)
    #expect(found["text"].text?.contains("Not to be seen") == false)
    #expect(found.meta["og:title"].text == Self.name)
    let link = "https://localhost:\(system.httpsPort)/r/\(code)"
    #expect(found.meta["og:url"].text == link)
    #expect(found.meta["og:image"].text == "\(link)/preview.png")
    #expect(
      found.images.items.map(\.text) == ["\(code)/preview.png", "../t4r/run/\(code)/qr.svg"])
    let tag = try #require(page.fields[.etag])
    let again = try await anyone.get("/r/\(code)", fields: [("if-none-match", tag)])
    #expect((again.status, again.body.count) == (304, 0))

    let preview = try await anyone.get("/r/\(code)/preview.png")
    #expect(preview.fields[.contentType] == "image/png")
    #expect(try await seen(preview.body, system) == "(1200, 630) [(24, 78, 119), (44, 140, 70)]")
    let known = try #require(preview.fields[.etag])
    let same = try await anyone.get("/r/\(code)/preview.png", fields: [("if-none-match", known)])
    #expect((same.status, same.body.count) == (304, 0))
    // A corner, because the picture of another straight path is the same; on a road that no other
    // test uses.
    let bent = RunOfTest.points(["47.5,9.19", "47.51,9.2", "47.5,9.21"])
    _ = try await organiser.draw(bent, for: runID)
    let redrawn = try await anyone.get("/r/\(code)/preview.png")
    #expect(try #require(redrawn.fields[.etag]) != known)
    #expect(redrawn.body != preview.body)
  }

  /// A preview as decoded by Pillow: its size, and the colours in the middle and at the start.
  private func seen(_ bytes: [UInt8], _ system: TestSystem) async throws -> String {
    let file = "\(system.directory)/preview-\(UUID().uuidString).png"
    try Data(bytes).write(to: URL(filePath: file))
    let script = """
      import sys, PIL.Image
      picture = PIL.Image.open(sys.argv[1]).convert("RGB")
      print(picture.size, [picture.getpixel(place) for place in ((600, 315), (70, 315))])
      """
    let outcome = try await Program(command: [TestSystem.python, "-c", script, file]).run()
    return outcome.output.trimmingCharacters(in: .newlines)
  }

  @Test("an unknown code opens a page that reports it", .tags(.RUN_10))
  func unknown() async throws {
    let anyone = try PublicClient(try await TestSystem.shared())
    let page = try await anyone.get("/r/22222222")
    #expect(page.status == 404)
    #expect(page.fields[.contentType] == "text/html; charset=utf-8")
    #expect(page.text.contains("No such run"))
    let preview = try await anyone.get("/r/22222222/preview.png")
    #expect(preview.outcome == Outcome(404, "Not found"))
  }
}
