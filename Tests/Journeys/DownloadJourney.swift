import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("Downloads of a single request, through the gateway")
struct DownloadJourney {
  /// Parses a bundle with third-party models and prints one line per observation.
  private static let reader = """
    import sys
    from fhir.resources.R4B.bundle import Bundle
    bundle = Bundle.model_validate_json(open(sys.argv[1]).read())
    assert bundle.type == "collection", bundle.type
    assert len({entry.fullUrl for entry in bundle.entry}) == len(bundle.entry)
    for entry in bundle.entry:
        found = entry.resource
        assert found.status == "final"
        assert found.subject.identifier.value == "urn:uuid:" + bundle.id
        def words(part):
            quantity = part.valueQuantity
            code = part.code.coding[0].code
            if quantity is None:
                return [code]
            assert quantity.system == "http://unitsofmeasure.org"
            return [code, f"{float(quantity.value):g}", quantity.code]
        parts = [word for part in found.component or [] for word in words(part)]
        profile = found.meta.profile[0].split("/")[-1] if found.meta else "-"
        print(profile, *words(found), *parts)
    """

  @Test("the FHIR bundle is valid for third-party models, under a pseudonym", .tags(.R24))
  func bundle() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    let morning = "2024-01-15T10:00:00Z"
    let samples: [(String, JSONValue)] = [
      ("heartRate", 61), ("weight", 70.5), ("height", 1.75), ("bloodPressureSystolic", 121),
      ("bloodPressureDiastolic", 81), ("oxygenSaturation", 97), ("steps", 900), ("speed", 1.5),
      ("bodyTemperature", 36.6), ("respiratoryRate", 14), ("bloodGlucose", 92),
      ("position", "-33.9,18.4"), ("ecg", "atrial fibrillation"), ("fall", "1"),
    ]
    for (type, value) in samples { try await user.upload(type, [(morning, value)]) }
    let request = try await party.ask(user, for: .array(samples.map { .text($0.0) }))
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
    let reply = try await party.get("/req/tp/data?reqID=\(request)&format=fhir")
    #expect(reply.fields["content-type"] == "application/fhir+json")
    for name in [user.person.email, user.person.fiscalCode, user.person.name] {
      #expect(!reply.text.contains(name))
    }
    let path = "\(system.directory)/bundle-\(UUID().uuidString).json"
    try Data(reply.body).write(to: URL(filePath: path))
    let outcome = try await Program(command: [TestSystem.python, "-c", Self.reader, path]).run()
    try #require(outcome.isSuccess, "\(outcome.output)")
    #expect(
      Set(outcome.output.split(separator: "\n").map(String.init)) == [
        "heartrate 8867-4 61 /min", "bodyweight 29463-7 70.5 kg", "bodyheight 8302-2 175 cm",
        "bp 85354-9 8480-6 121 mm[Hg] 8462-4 81 mm[Hg]", "oxygensat 2708-6 97 %",
        "- 55423-8 900 {steps}", "- speed 1.5 m/s", "bodytemp 8310-5 36.6 Cel",
        "resprate 9279-1 14 /min", "- 41653-7 92 mg/dL", "- position", "- ecg", "- fall",
      ])
    #expect(try await user.get("/data/accesses").json.accesses.items.map(\.format) == ["fhir"])
  }

  @Test("NDJSON has one JSON object per line, and is recorded", .tags(.R24, .REQ_5))
  func lines() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    try await user.upload(
      "heartRate", [("2024-01-15T10:00:00Z", 61), ("2024-01-15T11:00:00Z", 62)])
    let request = try await party.ask(user, for: ["heartRate"])
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
    let file = try await party.get("/req/tp/data?reqID=\(request)&format=ndjson")
    let lines = try file.text.split(separator: "\n").map { try JSONValue(Array($0.utf8)) }
    let json = try await party.get("/req/tp/data?reqID=\(request)").json
    #expect(lines == json.samples.items)
    let accesses = try await user.get("/data/accesses").json.accesses.items
    #expect(accesses.map(\.format) == ["json", "ndjson"])
  }
}
