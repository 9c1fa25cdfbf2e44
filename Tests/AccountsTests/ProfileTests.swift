import Accounts
import Data4Help
import Data4HelpFixture
import Domain
import Foundation
import HTTP
import Mail
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Support
import Testing

@Suite("Profiles of single users")
struct SingleUserProfileTests {
  static var full: [String: Any] {
    [
      "phone": "+39 02 1234567", "address": "Via Roma 1", "residence": "Milano",
      "birth_place": "Roma", "nationality": "it", "occupation": "self-employed", "height": 1.8,
      "weight": 80.5,
      "diseases": [
        ["code": "E11.9", "drugs": [["name": "Insulin", "dosesPerDay": 3]]], ["code": "asthma"],
      ], "language": "en", "time_zone": "America/New_York",
    ]
  }
  private static var shown: NSDictionary {
    [
      "email": "mario.rossi@example.org", "fc": "RSSMRA80A01H501U", "full_name": "Mario Rossi",
      "birthdate": "1980-01-01", "sex": "M", "active": true, "phone": "+39021234567",
      "address": "Via Roma 1", "residence": "Milano", "residence_istat": "015146",
      "residence_province": "MI", "residence_region": "Lombardia", "residence_country": "IT",
      "birth_place": "Roma", "birth_istat": "058091", "birth_province": "RM",
      "birth_region": "Lazio", "birth_country": "IT", "nationality": "IT",
      "occupation": "self-employed", "height": 1.8, "weight": 80.5,
      "diseases": [
        ["code": "diabetes", "drugs": [["name": "Insulin", "dosesPerDay": 3]]],
        ["code": "asthma", "drugs": []],
      ], "language": "en", "time_zone": "America/New_York",
    ]
  }

  @Test("registering takes every field, and the profile shows it", .tags(.ACC_3))
  func registering() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person(Self.full.merging(Sent.mario) { $1 })
      #expect(try await stage.profile(.readSingleUser, of: mario) == Self.shown)
    }
  }

  @Test("settings take every field, null empties it, others stay", .tags(.ACC_3, .ACC_5))
  func changing() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      func change(_ fields: [String: Any]) async throws -> Reply {
        let body = fields.merging(["password": "correct horse battery"]) { $1 }
        return try await stage.call(.changeSingleUser, Sent.json(body), by: mario)
      }
      #expect(try await change(Self.full)["message"] == "Settings updated")
      #expect(try await stage.profile(.readSingleUser, of: mario) == Self.shown)
      #expect(try await change(["full_name": "Mario Verdi", "phone": NSNull()]).status == 200)
      let changed = try await stage.profile(.readSingleUser, of: mario)
      #expect(changed["full_name"] as? String == "Mario Verdi")
      #expect(changed["phone"] == nil)
      #expect(changed["address"] as? String == "Via Roma 1")
      let nothing = Self.full.mapValues { _ in NSNull() }
      #expect(try await change(nothing).status == 200)
      let empty = try await stage.profile(.readSingleUser, of: mario)
      #expect(
        empty == [
          "email": "mario.rossi@example.org", "fc": "RSSMRA80A01H501U",
          "full_name": "Mario Verdi", "birthdate": "1980-01-01", "sex": "M", "active": true,
          "diseases": [], "language": "it", "time_zone": "UTC",
        ])
    }
  }

  @Test(
    "a residence abroad has a country and a free place name, until it is replaced", .tags(.ACC_3))
  func residenceAbroad() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      func change(_ residence: Any) async throws -> Reply {
        let body: [String: Any] = ["password": "correct horse battery", "residence": residence]
        return try await stage.call(.changeSingleUser, Sent.json(body), by: mario)
      }
      func shown() async throws -> [String?] {
        let profile = try await stage.profile(.readSingleUser, of: mario)
        return ["", "_istat", "_region", "_country"].map { profile["residence\($0)"] as? String }
      }
      // Also for a country without a code in fiscal codes.
      for (country, place) in [("DE", "M\u{fc}nchen"), ("gl", "Nuuk")] {
        #expect(try await change(["country": country, "place": place]).status == 200)
        #expect(try await shown() == [place, nil, nil, country.uppercased()])
      }
      let clear = try stage.data.cell("SELECT residence_place FROM data4help.accounts")
      #expect(clear == "GL")
      #expect(try await change(["country": "IT", "place": "milano"]).status == 200)
      #expect(try await shown() == ["Milano", "015146", "Lombardia", "IT"])
      #expect(try await change(["country": "DE", "place": "Bonn"]).status == 200)
      #expect(try await change("Roma").status == 200)
      #expect(try await shown() == ["Roma", "058091", "Lazio", "IT"])
      #expect(try await change(["country": "DE", "place": "Bonn"]).status == 200)
      #expect(try await change(NSNull()).status == 200)
      #expect(try await shown() == [nil, nil, nil, nil])
      let longest = String(repeating: "a", count: 200)
      #expect(try await change(["country": "DE", "place": longest]).status == 200)
      let wrong: [(Any, String)] = [
        (["country": "DE", "place": longest + "a"], "residence.place"),
        (["country": "DE", "place": " "], "residence.place"),
        (["country": "DE"], "residence.place"), (["place": "Bonn"], "residence.country"),
        (["country": "ZZ", "place": "Bonn"], "residence.country"),
        (["country": "IT", "place": "Atlantis"], "residence"),
      ]
      for (residence, field) in wrong {
        let reply = try await change(residence)
        #expect((reply.status, reply["field"]) == (400, field), "\(residence)")
      }
    }
  }

  @Test("only fields for searches are stored in clear, and diseases as a keyed hash", .tags(.NFR_5))
  func columns() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.person(Self.full.merging(Sent.mario) { $1 })
      let clear = try stage.data.cell(
        """
        SELECT concat_ws(' ', residence_place, birth_place, nationality, occupation)
          FROM data4help.accounts
        """)
      #expect(clear == "F205 H501 IT self-employed")
      let diseases = try stage.data.cell(
        "SELECT count(*) || ' ' || min(length(disease)) FROM data4help.account_diseases")
      #expect(diseases == "2 32")
      for secret in ["Via Roma 1", "39021234567", "diabetes", "Insulin", "Mario"] {
        let found = try stage.data.cell(
          """
          SELECT count(*) FROM data4help.accounts AS account
           WHERE position($1::text::bytea IN account.sealed_profile) > 0
              OR account::text LIKE '%' || $1 || '%'
          """, secret)
        #expect(found == "0", "\(secret)")
      }
    }
  }

  @Test(
    "an invalid field is 400 with its name, and changes nothing", .tags(.ACC_3, .ACC_5))
  func wrongFields() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      let before = try stage.data.cell("SELECT md5(sealed_profile) FROM data4help.accounts")
      let wrong: [(String, Any, String)] = [
        ("phone", "x", "phone"), ("address", " ", "address"),
        ("residence", "Atlantis", "residence"),
        ("residence", "Samone", "residence"), ("residence", "Romania", "residence"),
        ("birth_place", "Milano", "birth_place"), ("birth_place", "Atlantis", "birth_place"),
        ("nationality", "ZZ", "nationality"), ("occupation", "astronaut", "occupation"),
        ("height", 2.9, "height"), ("height", 0.1, "height"), ("weight", 501, "weight"),
        ("diseases", [["code": "flu"]], "diseases[0].code"),
        ("diseases", [["code": "asthma"], ["code": "J45"]], "diseases"),
        (
          "diseases", [["code": "asthma", "drugs": [["name": "A", "dosesPerDay": 0]]]],
          "diseases[0].drugs[0].dosesPerDay"
        ),
        ("diseases", [["code": "asthma", "drugs": [["name": "A"]]]], "diseases[0].drugs[0]"),
        ("email", "other@example.org", "email"), ("fc", "BNCLRA92D55F205E", "fc"),
        ("piva", "12345670157", "piva"), ("full_name", " ", "full_name"),
        ("birthdate", "1980-01-02", "birthdate"), ("sex", "F", "sex"), ("sex", "X", "sex"),
        ("language", "fr", "language"), ("time_zone", "Mars/Olympus", "time_zone"),
        ("birthdate", "2080-01-01", "birthdate"), ("newPassword", "short", "newPassword"),
      ]
      for (name, value, field) in wrong {
        let body: [String: Any] = [name: value, "password": "correct horse battery"]
        let reply = try await stage.call(.changeSingleUser, Sent.json(body), by: mario)
        #expect(reply.status == 400, "\(name) \(value)")
        #expect(reply["field"]?.hasPrefix(field) == true, "\(name) \(reply["field"] ?? "")")
      }
      #expect(try stage.data.cell("SELECT md5(sealed_profile) FROM data4help.accounts") == before)
    }
  }

  @Test("a name that several municipalities share is 400 with the candidates", .tags(.ACC_3))
  func ambiguous() async throws {
    try await AuthenticationStage.with { stage in
      let reply = try await stage.call(
        .registerSingleUser, Sent.json(Sent.mario.with("residence", "samone")))
      #expect(reply.status == 400)
      let detail = reply.problem?.detail ?? ""
      #expect(detail.contains("Samone (TN, 022165); Samone (TO, 001235)"), "\(detail)")
      for named in ["Samone (TN)", "022165"] {
        let person = Sent.mario.with("residence", named).with("email", "\(named.count)@a.example")
        let fine = try await stage.call(.registerSingleUser, Sent.json(person))
        #expect(fine.status == 200 || fine.problem?.field == "fc")
      }
    }
  }

  @Test("a wrong password is 403 and delayed as at login", .tags(.ACC_6, .ACC_7))
  func wrongPassword() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      let body = Sent.json(["password": "not his", "phone": "12345"])
      for _ in 0..<3 {
        let reply = try await stage.call(.changeSingleUser, body, by: mario)
        #expect(reply.status == 403)
        #expect(reply["error"] == "Wrong authentication")
      }
      #expect(try await stage.mailbox.next().subject.contains("wrong password"))
      #expect(try await stage.call(.changeSingleUser, body, by: mario).status == 429)
      stage.clock.advance(by: .seconds(5))
      let right = Sent.json(["password": "correct horse battery", "phone": "12345"])
      #expect(try await stage.call(.changeSingleUser, right, by: mario).status == 200)
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.login_failures") == "0")
    }
  }

  @Test("twenty changes at once lose none", .tags(.ACC_5))
  func concurrent() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      let fields: [[String: Any]] = [
        ["phone": "12345"], ["address": "Via Po 2"], ["height": 1.7], ["weight": 70],
        ["nationality": "FR"], ["occupation": "retired"], ["residence": "Torino"],
        ["diseases": [["code": "copd"]]],
      ]
      try await withThrowingTaskGroup(of: Int.self) { group in
        for field in fields {
          let body = Sent.json(field.merging(["password": "correct horse battery"]) { $1 })
          group.addTask {
            try await stage.call(.changeSingleUser, body, by: mario).status
          }
        }
        for try await status in group { #expect(status == 200) }
      }
      let profile = try await stage.profile(.readSingleUser, of: mario)
      for name in fields.flatMap(\.keys) { #expect(profile[name] != nil, "\(name)") }
    }
  }

  @Test("an inactive user can't be found, and a reactivated one can", .tags(.ACC_9, .R22))
  func status() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      let directory = stage.parts.dependencies.directory
      let email = try EmailAddress("mario.rossi@example.org")
      let code = try FiscalCode("RSSMRA80A01H501U")
      for isActive in [false, true] {
        let reply = try await stage.call(
          .chooseStatus, Sent.json(["active": isActive]), by: mario)
        #expect(reply["message"] == "Settings updated")
        let expected = isActive ? mario.account : nil
        let byEmail = try await directory.activeSingleUser(email)
        #expect(byEmail == expected)
        let byCode = try await directory.activeSingleUser(code)
        #expect(byCode == expected)
        let profile = try await stage.profile(.readSingleUser, of: mario)
        #expect(profile["active"] as? Bool == isActive)
      }
      #expect(try await stage.call(.chooseStatus, "{}", by: mario).status == 400)
    }
  }
}
