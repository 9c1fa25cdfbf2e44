import Foundation
import Requirements
import Support
import Testing

@Suite("Profiles, consents and lost passwords, through the gateway")
struct ProfileJourney {
  @Test("a single user fills in the profile, changes it, and reads it", .tags(.R2, .ACC_3, .ACC_5))
  func singleUser() async throws {
    let user = try await TestSystem.shared().singleUser()
    let change: JSONValue = [
      "password": .text(People.password), "residence": "Samone (TN)", "birth_place": "Roma",
      "nationality": "IT", "occupation": "employed", "height": 1.7, "weight": 61.5,
      "phone": "+39 02 1234567", "address": "Via Po 1", "full_name": "Another Name",
      "diseases": [["code": "E11", "drugs": [["name": "Insulin", "dosesPerDay": 3]]]],
    ]
    let changed = try await user.post("/settings/single/info", change)
    #expect(changed.json.message == "Settings updated", "\(changed.text)")
    let profile = try await user.get("/settings/single").json
    #expect(profile.full_name == "Another Name")
    #expect(profile.residence == "Samone")
    #expect(profile.residence_region == "Trentino-Alto Adige")
    #expect(profile.birth_country == "IT")
    #expect(profile.diseases[0].code == "diabetes")
    #expect(profile.diseases[0].drugs[0].dosesPerDay == 3)
    let wrong: [(String, JSONValue)] = [
      ("residence", "Samone"), ("birth_place", "Milano"), ("email", "other@example.org"),
      ("fc", "RSSMRA80A01H501U"), ("sex", "M"), ("birthdate", "1980-01-02"), ("height", 3),
    ]
    for (name, value) in wrong {
      let reply = try await user.post("/settings/single/info", change.with(name, value))
      #expect(reply.outcome == .malformed, "\(reply.text)")
      #expect(reply.field == name, "\(reply.text)")
    }
    let refused = try await user.post(
      "/settings/single/info", change.with("password", "not the password"))
    #expect(refused.outcome == Outcome(403, "Wrong authentication"))
  }

  @Test("both kinds of account choose the language and time zone of their mails", .tags(.ACC_5))
  func locale() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    for (client, token, page, change) in [
      (user.client, user.token, "/settings/single", "/settings/single/info"),
      (party.client, party.token, "/settings/tp", "/settings/tp/info"),
    ] {
      let standard = try await client.get(page, token: token).json
      #expect(standard.language == "it")
      #expect(standard.time_zone == "Europe/Rome")
      let body: JSONValue = [
        "password": .text(People.password), "language": "en", "time_zone": "Asia/Kathmandu",
      ]
      #expect(try await client.post(change, token: token, body).outcome == .ok)
      let chosen = try await client.get(page, token: token).json
      #expect(chosen.language == "en")
      #expect(chosen.time_zone == "Asia/Kathmandu")
      let wrong: [(String, JSONValue)] = [
        ("language", "fr"), ("time_zone", "Europe/Atlantis"), ("time_zone", "../../etc/passwd"),
        ("time_zone", "right/Europe/Rome"), ("time_zone", "europe/rome"), ("time_zone", "Europe"),
      ]
      for (name, value) in wrong {
        let reply = try await client.post(change, token: token, body.with(name, value))
        #expect(reply.outcome == .malformed, "\(value): \(reply.text)")
        #expect(reply.field == name)
      }
    }
  }

  @Test("a person who lives and was born abroad enters a country and a place", .tags(.ACC_3, .R2))
  func abroad() async throws {
    let system = try await TestSystem.shared()
    let client = try PublicClient(system)
    defer { client.close() }
    // The fiscal code contains Romania as the birthplace; its letters are unique.
    let code = FiscalCodes.code(letters: 800_002, middle: "80A41Z129")
    let person = People.person().registration.with("fc", .text(code))
      .with("birth_place", ["country": "RO", "place": "Cluj-Napoca"])
    let email = try #require(person.email.text)
    for (name, value, field): (String, JSONValue, String) in [
      ("birth_place", ["country": "FR", "place": "Paris"], "birth_place.country"),
      ("residence", ["country": "DEU", "place": "Bonn"], "residence.country"),
      ("residence", ["country": "DE"], "residence"),
    ] {
      let refused = try await client.post("/auth/reg/single", person.with(name, value))
      #expect(refused.outcome == .malformed, "\(refused.text)")
      #expect(refused.field?.hasPrefix(field) == true, "\(refused.text)")
    }
    let registered = person.with("residence", ["country": "DE", "place": "K\u{f6}ln"])
    #expect(try await client.post("/auth/reg/single", registered).outcome == .ok)
    let token = try Mailbox.activationToken(
      in: try await system.mailbox.activationMail(to: email))
    #expect(try await client.get("/auth/activ?activToken=\(token)").outcome == .ok)
    let session = try await system.logIn(email, client)
    let profile = try await client.get("/settings/single", token: session).json
    #expect((profile.residence, profile.residence_country) == ("K\u{f6}ln", "DE"))
    #expect((profile.birth_place, profile.birth_country) == ("Cluj-Napoca", "RO"))
    #expect(profile.residence_region.isNull)
    let home: JSONValue = [
      "password": .text(People.password), "residence": ["country": "IT", "place": "Milano"],
    ]
    let moved = try await client.post("/settings/single/info", token: session, home)
    #expect(moved.outcome == .ok, "\(moved.text)")
    let changed = try await client.get("/settings/single", token: session).json
    #expect((changed.residence, changed.residence_region) == ("Milano", "Lombardia"))
  }

  @Test("a third party fills in the profile and reads it", .tags(.ACC_4, .ACC_5))
  func thirdParty() async throws {
    let party = try await TestSystem.shared().thirdParty()
    let change: JSONValue = [
      "password": .text(People.password), "sector": "Health", "payment_method": "card",
      "representative": ["full_name": "Laura Bianchi", "fc": "BNCLRA92D55F205E"],
      "services": ["AutomatedSOS"], "coordinate": "45.4642,9.19",
      "company_name": .text("Renamed \(party.company.name)"),
    ]
    let changed = try await party.post("/settings/tp/info", change)
    #expect(changed.outcome == .ok, "\(changed.text)")
    let profile = try await party.get("/settings/tp").json
    #expect(profile.piva.text == party.company.vatNumber)
    #expect(profile.company_name.text == "Renamed \(party.company.name)")
    #expect(profile.representative.fc == "BNCLRA92D55F205E")
    #expect(profile.services == ["AutomatedSOS"])
    let refused = try await party.post("/settings/tp/info", change.with("piva", "12345670157"))
    #expect(refused.outcome == .malformed)
    #expect(refused.field == "piva")
  }

  @Test("a request does not find an inactive user, until active again", .tags(.ACC_9, .R22))
  func inactive() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 70)])
    _ = try await user.post("/settings/single/status", ["active": false])
    #expect(try await user.get("/settings/single").json.active == false)
    let request: JSONValue = [
      "email": .text(user.person.email), "dataTypes": ["heartRate"], "subscribing": false,
    ]
    let refused = try await party.post("/req/tp/sendSingle", request)
    let unknown = try await party.post(
      "/req/tp/sendSingle", request.with("email", "nobody@example.org"))
    #expect(refused.outcome == Outcome(401, "Wrong parameters"))
    #expect(refused.outcome == unknown.outcome)
    #expect(refused.json.detail == unknown.json.detail)
    _ = try await user.post("/settings/single/status", ["active": true])
    #expect(try await party.post("/req/tp/sendSingle", request).outcome == .ok)
  }

  @Test("a lost password is reset by the link of the mail, once", .tags(.ACC_6))
  func lostPassword() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    for email in [user.person.email, "nobody@example.org"] {
      let reply = try await user.client.post("/auth/password/forgot", ["email": .text(email)])
      #expect(reply.json == ["message": "Action successful"])
    }
    let mail = try await system.mailbox.mail(to: user.person.email, with: "password/reset?token=")
    let found = try #require(mail.firstMatch(of: /password\/reset\?token=([\w.-]+)/))
    let page = try await user.client.get(
      "/auth/password/reset?token=\(found.1)", fields: [("accept", "text/html")])
    #expect(page.status == 200 && page.text.contains("type=\"password\""))
    let reset: JSONValue = ["token": .text(String(found.1)), "newPassword": "a new long phrase"]
    let first = try await user.client.post("/auth/password/reset", reset)
    #expect(first.json == ["message": "Action successful"], "\(first.text)")
    let second = try await user.client.post("/auth/password/reset", reset)
    #expect(second.outcome == Outcome(401, "Wrong token"))
    try await user.waitUntilRefused(user.token)
    let login: JSONValue = ["email": .text(user.person.email), "password": "a new long phrase"]
    #expect(try await user.client.post("/auth/login", login).outcome == .ok)
  }

  @Test("after a change only the new password is valid", .tags(.ACC_6))
  func changedPassword() async throws {
    let user = try await TestSystem.shared().singleUser()
    let change: JSONValue = [
      "password": .text(People.password), "newPassword": "a new long phrase",
    ]
    let changed = try await user.changingPassword(change)
    #expect(try await changed.get("/auth/me").outcome == .ok)
    let login: JSONValue = [
      "email": .text(user.person.email), "password": .text(People.password), "replace": true,
    ]
    let old = try await user.client.post("/auth/login", login)
    #expect(old.outcome == Outcome(401, "Wrong credentials"))
    let new = try await user.client.post(
      "/auth/login", login.with("password", "a new long phrase"))
    #expect(new.outcome == .ok)
  }

  @Test("a child's account is active once a parent has confirmed it", .tags(.ACC_13, .ACC_1))
  func child() async throws {
    let system = try await TestSystem.shared()
    let client = try PublicClient(system)
    defer { client.close() }
    // A child of twelve years for years to come; the letters are unique.
    let code = FiscalCodes.code(letters: 800_001, middle: "18A41H501")
    let child = People.person().registration
      .with("fc", .text(code)).with("birthdate", "2018-01-01")
    let email = try #require(child.email.text)
    let refused = try await client.post("/auth/reg/single", child)
    #expect(refused.field == "parent_email", "\(refused.text)")
    let parent = "parent-of-\(email)"
    let reply = try await client.post(
      "/auth/reg/single", child.with("parent_email", .text(parent)))
    #expect(reply.outcome == .ok, "\(reply.text)")
    let login: JSONValue = ["email": .text(email), "password": .text(People.password)]
    let messages = ["Confirmation received", "Account activated"]
    for (address, message) in zip([email, parent], messages) {
      #expect(try await client.post("/auth/login", login).outcome.status == 401)
      let token = try Mailbox.activationToken(
        in: try await system.mailbox.activationMail(to: address))
      let link = try await client.get("/auth/activ?activToken=\(token)")
      #expect(link.json.message.text == message, "\(link.text)")
    }
    #expect(try await client.post("/auth/login", login).outcome == .ok)
  }

  @Test("documents published by the operator need consent, which can be read back", .tags(.ACC_2))
  func consents() async throws {
    let system = try await TestSystem()
    let client = try PublicClient(system)
    #expect(try await client.get("/auth/documents").json == ["documents": []])
    let file = system.directory + "/privacy.txt"
    try "Privacy policy\n\nWe keep little.\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    let published = try await system.trackme("documents", "publish", "privacy", "2026-11", file)
    #expect(published.isSuccess, "\(published.output)")
    #expect(try await !system.trackme("documents", "publish", "privacy", "2026-11", file).isSuccess)
    #expect(try await !system.trackme("documents", "publish", "secrecy", "1", file).isSuccess)
    let document = try await client.get("/auth/documents").json.documents[0]
    #expect(document.title == "Privacy policy")
    #expect(document.version == "2026-11")
    let person = People.person()
    let refused = try await client.post("/auth/reg/single", person.registration)
    #expect(refused.outcome == .malformed)
    #expect(refused.field == "consents")
    let consenting = person.registration.with(
      "consents", [["document": "privacy", "version": "2026-11"]])
    #expect(try await client.post("/auth/reg/single", consenting).outcome == .ok)
    let mail = try await system.mailbox.activationMail(to: person.email)
    _ = try await client.get("/auth/activ?activToken=\(try Mailbox.activationToken(in: mail))")
    let token = try await system.logIn(person.email, client)
    let ledger = try await client.get("/auth/consents", token: token).json.consents
    #expect(ledger.count == 1)
    #expect(ledger[0].version == "2026-11")
    await system.stop()
  }
}
