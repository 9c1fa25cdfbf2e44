import Data4HelpFixture
import Domain
import Foundation
import HTTP
import HealthRecords
import Requirements
import Support
import Testing
import Time

@Suite("Files of a single request's data")
struct DownloadTests {
  private typealias Object = [String: Any]

  /// Stores values, given in minutes before now, from a device.
  private func store(
    _ values: [(DataType, Double, minutesAgo: Int64)], device: Int32 = 0,
    on stage: SingleRequestStage
  ) async throws {
    var samples: [NewSample] = []
    for (type, value, minutes) in values {
      samples.append(
        NewSample(
          type: type, time: stage.clock.now.adding(seconds: -60 * minutes), device: device,
          value: try SampleValue(value, of: type)))
    }
    _ = try await stage.samples.append(samples, to: Known.mario)
  }

  private func resources(_ reply: Reply) throws -> [Object] {
    #expect(!reply.isCut)
    return try reply.list("entry").map { try #require($0["resource"] as? Object) }
  }

  /// The code, the value and the unit code of each component.
  private func components(_ resource: Object) -> [String] {
    (resource["component"] as? [Object] ?? []).map { component in
      let code = (component["code"] as? Object)?["coding"] as? [Object]
      let quantity = component["valueQuantity"] as? Object
      let value = quantity.map { "\($0["value"] ?? "") \($0["code"] ?? "")" } ?? "absent"
      return "\(code?.first?["code"] ?? "") \(value)"
    }
  }

  @Test("NDJSON has the objects of the JSON pages, one per line", .tags(.R24))
  func ndjson() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(10_001, minutesAgo: 20_000)
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      let file = try await stage.data(requestID, format: "ndjson")
      #expect(file.fields["content-type"] == "application/x-ndjson")
      let lines = file.text.split(separator: "\n")
      #expect(lines.count == 10_001)
      let last = try JSONSerialization.jsonObject(with: Data(lines[10_000].utf8)) as? Object
      let page = try await stage.data(requestID)
      let more = try await stage.data(requestID, cursor: try page.next)
      #expect((page.list("samples") + more.list("samples")).count == 10_001)
      #expect(last as NSDictionary? == more.list("samples")[0] as NSDictionary)
    }
  }

  @Test("the two values of a blood pressure make one observation", .tags(.R24))
  func bloodPressure() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await store(
        [
          (.bloodPressureSystolic, 121, 9), (.bloodPressureSystolic, 122, 8),
          (.bloodPressureDiastolic, 82, 8), (.bloodPressureDiastolic, 81, 9),
          (.bloodPressureDiastolic, 83, 7),
        ], on: stage)
      try await store([(.bloodPressureSystolic, 123, 7)], device: 2, on: stage)
      let requestID = try await stage.ask(
        "\"bloodPressureSystolic\",\"bloodPressureDiastolic\"")
      _ = try await stage.choose("accept", requestID)
      let found = try resources(try await stage.data(requestID, format: "fhir"))
      #expect(
        Set(found.map { components($0) }) == [
          ["8480-6 121 mm[Hg]", "8462-4 81 mm[Hg]"], ["8480-6 122 mm[Hg]", "8462-4 82 mm[Hg]"],
          ["8480-6 absent", "8462-4 83 mm[Hg]"], ["8480-6 123 mm[Hg]", "8462-4 absent"],
        ])
    }
  }

  @Test("values divided by a batch are joined in the next one", .tags(.R24))
  func dividedPressure() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await store([(.bloodPressureSystolic, 120, 9_000)], on: stage)
      let values = (0..<5_000).map { Int64($0) + 1 }
      try await store(
        values.map { (.bloodPressureSystolic, 121, minutesAgo: $0) }
          + values.map { (.bloodPressureDiastolic, 81, minutesAgo: $0) }, on: stage)
      let requestID = try await stage.ask(
        "\"bloodPressureSystolic\",\"bloodPressureDiastolic\"")
      _ = try await stage.choose("accept", requestID)
      let found = try resources(try await stage.data(requestID, format: "fhir"))
      #expect(found.count == 5_001)
      let paired = found.filter { components($0).allSatisfy { !$0.hasSuffix("absent") } }
      #expect(paired.count == 5_000)
    }
  }

  @Test("values of a pressure without their counterpart are in the file once", .tags(.R24))
  func unpairedPressure() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(501, of: .bloodPressureSystolic, value: 100)
      let requestID = try await stage.ask("\"bloodPressureSystolic\"")
      _ = try await stage.choose("accept", requestID)
      let found = try resources(try await stage.data(requestID, format: "fhir"))
      #expect(found.count == 501)
      #expect(Set(found.compactMap { $0["effectiveDateTime"] as? String }).count == 501)
    }
  }

  @Test("heights are in centimetres, and every type has a code", .tags(.R24))
  func units() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await store([(.height, 1.7, 3), (.speed, 2.5, 2)], on: stage)
      let requestID = try await stage.ask("\"height\",\"speed\"")
      _ = try await stage.choose("accept", requestID)
      let reply = try await stage.data(requestID, format: "fhir")
      let text = reply.text
      #expect(text.contains(#""value":170,"unit":"cm","system":"http://unitsofmeasure.org""#))
      #expect(
        text.contains(#""system":"https://trackme.example/fhir/data-types","code":"speed""#))
      #expect(try resources(reply).count == 2)
    }
  }

  @Test("an empty bundle has no entries", .tags(.R24))
  func empty() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      try stage.run("DELETE FROM data4help.chunks")
      let bundle = try await stage.data(requestID, format: "fhir")
      #expect(bundle.object["entry"] == nil)
      #expect(bundle["type"] == "collection")
      #expect(try await stage.data(requestID, format: "ndjson").text == "")
    }
  }
}
