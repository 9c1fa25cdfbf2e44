import HTTP
import Requirements
import Support
import Testing

@Suite("Lookups for form fields, through the gateway")
struct LookupJourney {
  @Test(
    "places, diseases and data types are looked up without a login, and a profile accepts them",
    .tags(.ACC_3, .DAT_2))
  func open() async throws {
    let system = try await TestSystem.shared()
    let client = try PublicClient(system)
    defer { client.close() }
    let samones = try await client.get("/lookup/municipalities?query=samo&limit=20")
    #expect(samones.outcome == .ok, "\(samones.text)")
    #expect(samones.fields["cache-control"] == "public, max-age=86400")
    let trento = try #require(
      samones.json.municipalities.items.first { $0.name == "Samone" && $0.province == "TN" })
    #expect((trento.provinceName, trento.region) == ("Trento", "Trentino-Alto Adige"))
    let provinces = try await client.get("/lookup/provinces").json.provinces.items
    #expect(provinces.contains { $0.province == "MI" && $0.region == "Lombardia" })
    let regions = try await client.get("/lookup/regions").json.regions.items
    #expect(regions.count == 20 && regions.contains { $0.code == 3 && $0.name == "Lombardia" })
    let countries = try await client.get("/lookup/countries").json.countries.items
    let germany = try #require(countries.first { $0.code == "DE" })
    #expect((germany["names"].it, germany["names"].en) == ("Germania", "Germany"))
    let diseases = try await client.get("/lookup/diseases").json.diseases.items
    let asthma = try #require(diseases.first { $0["names"].it == "Asma" })
    let types = try await client.get("/lookup/dataTypes").json.dataTypes.items
    let heartRate = try #require(types.first { $0.dataType == "heartRate" })
    #expect((heartRate["names"].it, heartRate["names"].en) == ("Frequenza cardiaca", "Heart rate"))
    #expect((heartRate.unit, heartRate.min, heartRate["max"]) == ("BPM", 20, 250))
    for target in ["/lookup/municipalities", "/lookup/municipalities?query=mil&limit=21"] {
      #expect(try await client.get(target).outcome == .malformed)
    }
    let user = try await system.singleUser()
    let change: JSONValue = [
      "password": .text(People.password), "residence": trento.istat,
      "diseases": [["code": asthma.code]],
    ]
    #expect(try await user.post("/settings/single/info", change).outcome == .ok)
    let profile = try await user.get("/settings/single").json
    #expect((profile.residence, profile.residence_province) == ("Samone", "TN"))
    #expect(profile.diseases[0].code == "asthma")
  }

  @Test("the gateway caches public lookups for a short time")
  func kept() async throws {
    let system = try await TestSystem.shared()
    let client = try PublicClient(system)
    defer { client.close() }
    let before = try await system.metric("trackme_gateway_kept_total", of: "gateway")
    _ = try await eventually("an answer that was kept") {
      for _ in 0..<20 { _ = try await client.get("/lookup/countries") }
      let kept = try await system.metric("trackme_gateway_kept_total", of: "gateway")
      return kept > before ? true : nil
    }
  }

  @Test(
    "a person finds an activated company by a few letters of its name, and can trust it",
    .tags(.REQ_3))
  func companies() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    let name = "Zwiebelkuchen \(party.company.vatNumber) S.r.l."
    let rename: JSONValue = ["password": .text(People.password), "company_name": .text(name)]
    #expect(try await party.post("/settings/tp/info", rename).outcome == .ok)
    let found = try await eventually("the company") {
      try await user.get("/lookup/companies?query=zwieb").json.companies.items.first
    }
    #expect(found.company_name.text == name)
    #expect(found.company_description.text == party.company.purpose)
    #expect(found.email.isNull)
    let trusted: JSONValue = ["piva": found.piva, "allowed": true]
    #expect(try await user.post("/settings/single/preconfirmed", trusted).outcome == .ok)
    let old = try await user.get("/lookup/companies?query=clinic%20number")
    #expect(!old.text.contains(party.company.vatNumber))
    for query in ["zw", "wiebel", "%26"] {
      #expect(try await user.get("/lookup/companies?query=\(query)").json.companies.count == 0)
    }
    let refused = try await party.get("/lookup/companies?query=zwieb")
    #expect(refused.outcome == Outcome(401, "Wrong token"))
    let nobody = try await user.client.get("/lookup/companies?query=zwieb")
    #expect(nobody.outcome == Outcome(401, "Wrong token"))
  }

  @Test("an account that enumerates the beginnings of names is rate-limited", .tags(.GW_5))
  func slowedDown() async throws {
    let system = try await TestSystem(["TRACKME_RATE_LIMITS": "on"])
    let user = try await system.singleUser()
    var refused: Reply?
    for number in 0..<200 where refused == nil {
      let reply = try await user.get("/lookup/companies?query=a\(number)")
      if reply.outcome != .ok { refused = reply }
    }
    let refusal = try #require(refused)
    #expect(refusal.outcome == Outcome(429, "Too many requests"))
    #expect(refusal.fields["retry-after"] != nil)
    #expect(try await user.get("/auth/me").outcome == .ok)
    await system.stop()
  }
}
