import Data4HelpFixture
import Domain
import Foundation
import PublicAPI
import Requirements
import Support
import Testing

@Suite("Profiles of third parties")
struct ThirdPartyProfileTests {
  static var full: [String: Any] {
    [
      "sector": "Health", "phone": "+39 02 7654321", "legal_address": "Via Po 1, Torino",
      "billing_address": "Via Po 2, Torino", "payment_method": "transfer",
      "representative": [
        "full_name": "Laura Bianchi", "fc": "BNCLRA92D55F205E", "phone": "+39 345 678",
        "email": "LAURA@acme.example", "office_address": "Via Po 3, Torino",
      ],
      "services": ["AutomatedSOS", "Track4Run"], "coordinate": "45.0703,7.6869",
      "language": "en", "time_zone": "Etc/GMT+5",
    ]
  }
  private static var shown: NSDictionary {
    [
      "email": "info@acme.example", "piva": "12345670157", "company_name": "Acme S.p.A.",
      "company_description": "Studies of hearts.", "sector": "Health", "phone": "+39027654321",
      "legal_address": "Via Po 1, Torino", "billing_address": "Via Po 2, Torino",
      "payment_method": "transfer",
      "representative": [
        "full_name": "Laura Bianchi", "fc": "BNCLRA92D55F205E", "phone": "+39345678",
        "email": "laura@acme.example", "office_address": "Via Po 3, Torino",
      ],
      "services": ["AutomatedSOS", "Track4Run"], "coordinate": "45.0703,7.6869",
      "language": "en", "time_zone": "Etc/GMT+5",
    ]
  }

  @Test("registration and settings validate every field alike", .tags(.ACC_4, .ACC_5))
  func fields() async throws {
    try await AuthenticationStage.with { stage in
      let acme = try await stage.company(Self.full.merging(Sent.acme) { $1 })
      #expect(try await stage.profile(.readThirdParty, of: acme) == Self.shown)
    }
    try await AuthenticationStage.with { stage in
      let acme = try await stage.company()
      let body = Self.full.merging(["password": "company pass phrase"]) { $1 }
      let reply = try await stage.call(.changeThirdParty, Sent.json(body), by: acme)
      #expect(reply["message"] == "Settings updated")
      #expect(try await stage.profile(.readThirdParty, of: acme) == Self.shown)
      let none = Self.full.mapValues { _ in NSNull() as Any }
        .merging(["password": "company pass phrase"]) { $1 }
      #expect(try await stage.call(.changeThirdParty, Sent.json(none), by: acme).status == 200)
      let empty = try await stage.profile(.readThirdParty, of: acme)
      #expect(empty.count == 7)
      #expect(empty["language"] as? String == "it")
      #expect(empty["time_zone"] as? String == "UTC")
      #expect(empty["services"] as? [String] == [])
    }
  }

  @Test("an invalid field is 400 with its name", .tags(.ACC_4, .ACC_5))
  func wrongFields() async throws {
    try await AuthenticationStage.with { stage in
      let acme = try await stage.company()
      let wrong: [(String, Any, String)] = [
        ("sector", "", "sector"), ("phone", "123", "phone"),
        ("payment_method", "cash", "payment_method"),
        ("services", ["Other"], "services[0]"),
        ("services", ["Track4Run", "Track4Run"], "services"),
        ("coordinate", "here", "coordinate"), ("coordinate", "91,0", "coordinate"),
        ("representative", ["fc": "BNCLRA92D55F205E"], "representative"),
        ("representative", ["full_name": "A", "fc": "X"], "representative.fc"),
        ("representative", ["full_name": "A", "email": "x"], "representative.email"),
        ("company_name", " ", "company_name"), ("company_description", " ", "company_description"),
        ("email", "a@b.example", "email"), ("piva", "00743110157", "piva"),
      ]
      for (name, value, field) in wrong {
        let body: [String: Any] = [name: value, "password": "company pass phrase"]
        let reply = try await stage.call(.changeThirdParty, Sent.json(body), by: acme)
        #expect(reply.status == 400, "\(name) \(value)")
        #expect(reply["field"]?.hasPrefix(field) == true, "\(name): \(reply["field"] ?? "")")
      }
    }
  }

  @Test("a new company name is accepted, a look-alike refused", .tags(.ACC_12, .ACC_5))
  func renaming() async throws {
    try await AuthenticationStage.with { stage in
      let acme = try await stage.company()
      let other = Sent.acme.with("email", "other@b.example").with("piva", "00743110157")
      func rename(_ name: String) async throws -> Reply {
        let body = ["company_name": name, "password": "company pass phrase"]
        return try await stage.call(.changeThirdParty, Sent.json(body), by: acme)
      }
      #expect(try await rename("ACME Spa").status == 200)
      #expect(try await rename("Beta S.r.l.").status == 200)
      _ = try await stage.company(other)
      let refused = try await rename("acme")
      #expect(refused.status == 403)
      #expect(refused["error"] == "Already registered")
      let profile = try await stage.profile(.readThirdParty, of: acme)
      #expect(profile["company_name"] as? String == "Beta S.r.l.")
      let third = other.with("email", "third@c.example").with("piva", "07643520567")
      #expect(try await stage.registerCompany(third.with("company_name", "beta")).status == 403)
      stage.clock.advance(by: .seconds(86_400 * 2))
      #expect(try await stage.registerCompany(third.with("company_name", "beta")).status == 403)
    }
  }
}
