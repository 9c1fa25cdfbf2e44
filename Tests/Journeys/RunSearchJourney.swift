import Requirements
import Testing

@Suite("Searching runs, through the gateway")
struct RunSearchJourney {
  @Test(
    "the public finds a run by code, a part of its name, location, distance to a point, and state",
    .tags(.R43, .R50, .R51))
  func search() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let anyone = organiser.client
    let runID = try await organiser.createRun(
      RunOfTest.terms().merging(["runName": "Söderleden 10%", "place": "Kiruna, torget"]))
    // Its start and end are 30 km apart at 70 degrees north.
    let code = try await organiser.draw(
      RunOfTest.points(["70.1,20", "70.1,20.2", "70.1,20.4", "70.1,20.6", "70.1,20.8"]), for: runID)
    func isFound(_ query: String) async throws -> Bool {
      let reply = try await anyone.get("/t4r/active/list?limit=500&\(query)")
      #expect(reply.outcome == .ok, "\(reply.text)")
      return reply.json.run.items.contains { $0.runID.int == runID }
    }
    let hits = [
      "code=\(code.lowercased())", "name=leden%2010%25", "name=S%C3%96DER", "place=kiruna",
      "near=70.1,20.3&radius=1000", "near=70.15,20", "near=70.1,20.8&radius=1",
      "state=open", "name=leden&place=torget&near=70.1,20.7&state=open",
    ]
    for query in hits { #expect(try await isFound(query), "\(query)") }
    let misses = [
      "code=AAAAAAAA", "name=le_en", "place=Lule%C3%A5", "near=70.1,21.2&radius=10000",
      "near=70.3,20", "state=live", "state=ended", "name=leden&place=Lund",
    ]
    for query in misses { #expect(try await !isFound(query), "\(query)") }
    let found = try await anyone.get("/t4r/active/list?code=\(code)").json.run[0]
    #expect((found.place, found.endPoint) == ("Kiruna, torget", "70.1,20.8"))
  }
}
