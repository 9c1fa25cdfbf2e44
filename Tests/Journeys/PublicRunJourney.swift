import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("The public view of a run by its code")
struct PublicRunJourney {
  /// A listed run with its code.
  private func run(
    of organiser: ThirdParty, _ more: JSONValue = [:]
  ) async throws -> (id: Int, code: String) {
    let runID = try await organiser.createRun(RunOfTest.terms().merging(more))
    return (runID, try await organiser.draw(RunOfTest.path(), for: runID))
  }

  @Test("a run is shown by its code, in any spelling, until it is cancelled", .tags(.RUN_4))
  func shown() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let (runID, code) = try await run(
      of: organiser, ["runName": "Lambro half", "description": "Flat", "place": "Milano"])
    let anyone = try PublicClient(system)
    let run = try await anyone.get("/t4r/run/\(code)").json
    #expect(run.runID.int == runID)
    #expect((run.runName, run.place, run["description"]) == ("Lambro half", "Milano", "Flat"))
    #expect((run.state, run.enrolled, run.participants) == ("open", 0, 10))
    #expect((1990...2020).contains(run["length"].int ?? 0), "\(run)")
    #expect(run.organiser.text == organiser.company.name)
    #expect(run.link.text == "https://localhost:\(system.httpsPort)/r/\(code)")
    let typed = "\(code.prefix(4).lowercased())-\(code.dropFirst(4))"
    #expect(try await anyone.get("/t4r/run/\(typed)").json.code.text == code)
    for wrong in ["\(code)2", "AAAAAAA0", "%00", "%E2%80%AE", "..%2f"] {
      let reply = try await anyone.get("/t4r/run/\(wrong)")
      #expect([400, 404].contains(reply.status), "\(wrong): \(reply.status)")
    }
    let cancel: JSONValue = ["runID": .number(Double(runID))]
    #expect(try await organiser.post("/t4r/org/cancel", cancel).outcome == .ok)
    for path in ["/t4r/run/\(code)", "/t4r/run/\(code)/qr.svg"] {
      #expect(try await anyone.get(path).outcome == Outcome(404, "Not found"))
    }
  }

  @Test(
    "the QR code of a run, rendered and scanned by other programs, is its public link",
    .tags(.RUN_4))
  func scanned() async throws {
    let system = try await TestSystem.shared()
    let (_, code) = try await run(of: try await system.thirdParty())
    let anyone = try PublicClient(system)
    let reply = try await anyone.get("/t4r/run/\(code)/qr.svg")
    #expect(reply.status == 200)
    #expect(reply.fields[.contentType] == "image/svg+xml")
    #expect(reply.fields[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
    let file = "\(system.directory)/qr-\(code).svg"
    try Data(reply.body).write(to: URL(filePath: file))
    let scan = URL(filePath: #filePath).deletingLastPathComponent().path + "/scan.py"
    let outcome = try await Program(command: [TestSystem.python, scan, file]).run()
    #expect(outcome.output == "https://localhost:\(system.httpsPort)/r/\(code)\n")
  }
}
