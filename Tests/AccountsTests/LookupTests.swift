import Data4HelpFixture
import Domain
import Foundation
import HTTP
import PublicAPI
import Requirements
import Testing

@Suite("Lookups during typing")
struct LookupTests {
  private func names(
    _ stage: AuthenticationStage, _ query: String, _ endpoint: Endpoint = .lookUpMunicipalities,
    _ list: String = "municipalities"
  ) async throws -> [String] {
    let reply = try await stage.call(endpoint, query: query)
    try #require(reply.status == 200, "\(reply.text)")
    let object = try JSONSerialization.jsonObject(with: Data(reply.text.utf8)) as? [String: Any]
    let entries = try #require(object?[list] as? [[String: Any]])
    return entries.map { "\($0["name"] ?? "?") \($0["province"] ?? "")" }
  }

  @Test(
    "current municipalities are found by prefix, in both languages, the exact one first",
    .tags(.ACC_3))
  func municipalities() async throws {
    try await AuthenticationStage.with { stage in
      let samones = try await names(stage, "query=samone")
      #expect(samones == ["Samone TN", "Samone TO"])
      #expect(try await names(stage, "query=Samone%20(TN)") == ["Samone TN"])
      #expect(try await names(stage, "query=MILANO&limit=1") == ["Milano MI"])
      #expect(try await names(stage, "query=bozen") == ["Bolzano BZ"])
      #expect(try await names(stage, "query=forli%27")[0] == "Forl\u{ec} FC")
      #expect(try await names(stage, "query=Girgenti").isEmpty)
      // A letter by which no name is indexed.
      #expect(try await names(stage, "query=%D0%96").isEmpty)
      #expect(try await names(stage, "query=ro").count == 10)
      #expect(try await names(stage, "query=ro&limit=20").count == 20)
      for query in ["", "query=", "query=%27", "query=ro&limit=0", "query=ro&limit=21"] {
        #expect(try await stage.call(.lookUpMunicipalities, query: query).status == 400)
      }
      let long = "query=" + String(repeating: "a", count: 201)
      #expect(try await stage.call(.lookUpMunicipalities, query: long)["field"] == "query")
    }
  }

  @Test("provinces and regions are the current ones", .tags(.ACC_3))
  func provinces() async throws {
    try await AuthenticationStage.with { stage in
      let provinces = try await names(stage, "", .lookUpProvinces, "provinces")
      #expect(provinces.contains("Milano MI") && !provinces.contains { $0.hasPrefix("Pola ") })
      #expect((100...112).contains(provinces.count), "\(provinces.count)")
      #expect(try await names(stage, "", .lookUpRegions, "regions").count == 20)
    }
  }

  @Test("every selectable country has a name in both languages", .tags(.ACC_3))
  func countries() async throws {
    try await AuthenticationStage.with { stage in
      let reply = try await stage.call(.lookUpCountries)
      let object = try JSONSerialization.jsonObject(with: Data(reply.text.utf8))
      let rows = try #require((object as? [String: [[String: Any]]])?["countries"])
      let codes = rows.compactMap { $0["code"] as? String }
      #expect(codes.count == 249 && codes == codes.sorted())
      #expect(codes.allSatisfy { CountryCode($0) != nil })
      let germany = try #require(rows.first { $0["code"] as? String == "DE" })
      #expect(germany["names"] as? [String: String] == ["it": "Germania", "en": "Germany"])
    }
  }

  @Test("answers that are equal for all clients may be cached publicly for a day")
  func kept() async throws {
    try await AuthenticationStage.with { stage in
      for endpoint in [
        Endpoint.lookUpProvinces, .lookUpRegions, .lookUpCountries, .lookUpDiseases,
        .lookUpDataTypes,
      ] {
        let reply = try await stage.call(endpoint)
        #expect(reply.fields[.cacheControl] == "public, max-age=86400", "\(endpoint.path)")
      }
    }
  }
}
