import Cryptography
import Data4HelpFixture
import Domain
import Requirements
import Testing

@Suite("Searches for groups by profile")
struct GroupSearchTests {
  /// 1001 women who live in Milano, born in Roma, and 1001 men of Catania, born in France.
  private static func populate(_ stage: SingleRequestStage) async throws {
    try await stage.populate()
    try await stage.addPeople(0..<1001)
    try await stage.addPeople(1001..<2002, .heartRate, 80, sex: "M")
    try stage.run(
      """
      UPDATE data4help.accounts
         SET residence_place = 'F205', birth_place = 'H501', nationality = 'IT',
             occupation = 'employed'
       WHERE account_id BETWEEN 1000000 AND 1001000;
      UPDATE data4help.accounts
         SET residence_place = 'C351', birth_place = 'Z110', nationality = 'FR',
             occupation = 'retired'
       WHERE account_id BETWEEN 1001001 AND 1002001;
      """)
  }

  /// Stores a disease for some people.
  private static func enter(
    _ disease: ChronicDisease, of numbers: ClosedRange<Int>, _ stage: SingleRequestStage
  ) throws {
    let index = BlindIndex(.diseaseCode, root: stage.installation.root)
    let digest = index.value(of: disease.rawValue).digest.bytes
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try stage.run(
      """
      INSERT INTO data4help.account_diseases (account_id, disease)
      SELECT 1000000 + n, '\\x\(digest)'
        FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound)) AS n
      """)
  }

  @Test("people match by nationality, occupation and the places of their profile", .tags(.R26))
  func profiles() async throws {
    try await SingleRequestStage.with { stage in
      try await Self.populate(stage)
      for search in [
        "nationality=IT", "occupation=employed", "residence.municipality=milano",
        "residence.municipality=015146", "residence.province=MI", "residence.province=Milano",
        "residence.region=lombardia", "residence.region=3", "birth.municipality=Roma",
        "birth.province=RM", "birth.region=Lazio", "birth.country=IT", "nationality=FR",
        "occupation=retired", "residence.region=Sicilia", "birth.country=FR",
      ] {
        #expect(try await stage.groupStatus("\"\(search)\"") == "approved ", "\(search)")
      }
      for (search, mean) in [("residence.region=Sicilia", 80.0), ("birth.country=IT", 70)] {
        let answer = try await stage.groupObject("\"\(search)\"")
        let types = try #require(answer["dataTypes"] as? [[String: Any]])
        #expect(abs((types[0]["mean"] as? Double ?? 0) - mean) <= 0.5, "\(search)")
      }
      for search in [
        "\"nationality=DE\"", "\"nationality=IT\",\"nationality=FR\"", "\"occupation=student\"",
        "\"residence.municipality=Torino\"", "\"residence.country=FR\"", "\"birth.region=Puglia\"",
        "\"residence.region=Sicilia\",\"residence.province=MI\"",
        "\"residence.region=Lombardia\",\"birth.country=FR\"",
      ] {
        #expect(try await stage.groupStatus(search) == "refused too few people", "\(search)")
      }
      #expect(try await stage.groupStatus("\"residence.country=IT\"") == "approved ")
    }
  }

  @Test("people who live abroad match by their country", .tags(.R26))
  func abroad() async throws {
    try await SingleRequestStage.with { stage in
      try await Self.populate(stage)
      let germany = "\"residence.country=DE\""
      #expect(try await stage.groupStatus(germany) == "refused too few people")
      // A country without a code in fiscal codes, so no person is born there by fiscal code.
      let greenland = "\"residence.country=GL\""
      #expect(try await stage.groupStatus(greenland) == "refused too few people")
      try stage.run(
        "UPDATE data4help.accounts SET residence_place = 'DE' WHERE residence_place = 'C351'")
      #expect(try await stage.groupStatus(germany) == "approved ")
      #expect(
        try await stage.groupStatus("\"residence.region=Sicilia\"") == "refused too few people")
    }
  }

  @Test("people with all the requested diseases match", .tags(.R26))
  func diseases() async throws {
    try await SingleRequestStage.with { stage in
      try await Self.populate(stage)
      try Self.enter(.diabetes, of: 0...1000, stage)
      try Self.enter(.asthma, of: 0...999, stage)
      #expect(try await stage.groupStatus("\"disease=diabetes\"") == "approved ")
      #expect(try await stage.groupStatus("\"disease=E11\"") == "approved ")
      #expect(try await stage.groupStatus("\"disease=asthma\"") == "refused too few people")
      let both = "\"disease=diabetes\",\"disease=asthma\""
      #expect(try await stage.groupStatus(both) == "refused too few people")
      try Self.enter(.asthma, of: 1000...1000, stage)
      #expect(try await stage.groupStatus(both) == "approved ")
    }
  }

  @Test("an unknown or ambiguous place is 400 and named", .tags(.R26))
  func unknown() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for search in [
        "residence.municipality=Atlantis", "birth.municipality=(MI)", "residence.province=ZZ",
        "residence.region=Padania", "residence.region=21", "birth.country=AQ",
        "residence.municipality=Samone", "residence.municipality=Samone (MI)",
      ] {
        let reply = try await stage.askGroup("\"age>=18\",\"\(search)\"")
        #expect(reply.status == 400, "\(search)")
        #expect(reply["field"] == "searchParams[1]", "\(search)")
      }
      let several = try await stage.askGroup("\"residence.municipality=Samone\"")
      #expect(several["detail"]?.contains("Samone (TN, 022165)") == true, "\(several.text)")
      let one = try await stage.askGroup("\"residence.municipality=Samone (TN)\"")
      #expect(one.status == 200)
    }
  }

  @Test("an answer is broken down by the region of residence", .tags(.R28))
  func regions() async throws {
    try await SingleRequestStage.with { stage in
      try await Self.populate(stage)
      // People without a residence are in no part; two parts of 1001 remain.
      try await stage.addPeople(2002..<4000)
      let answer = try await stage.groupObject(
        "\"age>=18\"", "\"heartRate\"", ",\"groupBy\":\"region\"")
      let groups = try #require(answer["groups"] as? [[String: Any]])
      #expect(groups.compactMap { $0["group"] as? String } == ["Lombardia", "Sicilia"])
      #expect(groups.compactMap { $0["people"] as? Int } == [1000, 1000])
      let means = groups.compactMap { $0["mean"] as? Double }
      #expect(abs(means[0] - 70) <= 0.5 && abs(means[1] - 80) <= 0.5)
    }
  }
}
