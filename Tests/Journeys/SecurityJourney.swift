import Foundation
import HTTP
import Requirements
import Support
import Testing

extension ThirdParty {
  /// Creates an API key.
  func newKey(_ name: String) async throws -> (id: String, key: String) {
    let made = try await post("/auth/keys", ["name": .text(name)])
    try #require(made.outcome == .ok, "\(made.text)")
    return (try #require(made.json.keyID.text), try #require(made.json.key.text))
  }

  func delete(_ path: String) async throws -> Reply {
    try await client.send(.delete, path, token: token, body: [], mediaType: nil)
  }

  /// The data of the notices of kind `security`, newest first.
  func securityNotices() async throws -> [JSONValue] {
    try await get("/notifications").json["items"].items.filter { $0.kind == "security" }.map(\.data)
  }
}

extension SingleUser {
  /// Changes the settings with a new password; returns the user with the token of the new session.
  func changingPassword(_ change: JSONValue) async throws -> SingleUser {
    let reply = try await post("/settings/single/info", change)
    try #require(reply.outcome == .ok, "\(reply.text)")
    return SingleUser(
      person: person, token: try #require(reply.json.authToken.text), client: client)
  }
}

extension ThirdParty {
  /// As for a person.
  func changingPassword(_ change: JSONValue) async throws -> ThirdParty {
    let reply = try await post("/settings/tp/info", change)
    try #require(reply.outcome == .ok, "\(reply.text)")
    return ThirdParty(
      company: company, token: try #require(reply.json.authToken.text), client: client)
  }
}

@Suite("The limits of a stolen token, through the gateway")
struct SecurityJourney {
  private static let wrongToken = Outcome(401, "Wrong token")

  /// Waits for the end of a token, which the gateway learns within its polling interval.
  private func waitUntilRefused(
    _ what: String, _ ask: @escaping () async throws -> Reply
  ) async throws {
    _ = try await eventually(what) {
      let status = try await ask().status
      return [401, 403].contains(status) ? true : nil
    }
  }

  @Test(
    "an API key can't change the callback; a login can, and the account is notified each time",
    .tags(.ACC_10, .NTF_1))
  func callback() async throws {
    let receiver = try await Receiver(isEncrypted: false)
    defer { receiver.stop() }
    let system = try await TestSystem.shared()
    let party = try await system.thirdParty()
    let stolen = try await party.newKey("nightly").key
    let url: JSONValue = ["url": .text(receiver.url + "/taken")]
    func refused(_ reply: Reply) { #expect(reply.outcome == Self.wrongToken, "\(reply.text)") }
    refused(try await party.client.post("/req/tp/callback", token: stolen, url))
    #expect(try await party.get("/req/tp/callback").status == 404)
    #expect(try await party.post("/req/tp/callback", url).outcome == .ok)
    refused(try await party.client.post("/req/tp/callback", token: stolen, url))
    refused(try await party.client.post("/req/tp/callback/secret", token: stolen, [:]))
    refused(
      try await party.client.send(
        .delete, "/req/tp/callback", token: stolen, body: [], mediaType: nil))
    // Testing and resending reach no other address: programs may do both.
    let test = try await party.client.post("/req/tp/callback/test", token: stolen, nil)
    #expect(test.json.delivered == true, "\(test.text)")
    #expect(try await party.post("/req/tp/callback/secret", [:]).outcome == .ok)
    #expect(try await party.delete("/req/tp/callback").outcome == .ok)
    // No callback exists: nothing changes, and no notice is sent.
    #expect(try await party.delete("/req/tp/callback").outcome == .ok)
    let notices = try await party.securityNotices()
    #expect(
      notices.map(\.event) == [
        "callbackRemoved", "callbackSecretRotated", "callbackChanged", "keyCreated",
      ])
    #expect(notices[2].url == url.url)
    #expect(notices[3].name == "nightly")
    for text in [
      "chiave API", "callback del tuo account", "segreto del tuo callback", "stato tolto",
    ] {
      let mail = try await system.mailbox.mail(to: party.company.email, with: text)
      #expect(mail.contains("TrackMe: sicurezza del tuo account"))
      #expect(mail.contains("(Europe/Rome)"))
    }
  }

  @Test(
    "the person is notified of a paired device, in the chosen language and time zone", .tags(.NTF_3)
  )
  func device() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let change: JSONValue = [
      "password": .text(People.password), "language": "en", "time_zone": "Asia/Tokyo",
    ]
    #expect(try await user.post("/settings/single/info", change).outcome == .ok)
    // Mails about the account's security cannot be disabled.
    #expect(try await user.post("/notifications/mail", ["kinds": []]).outcome == .ok)
    let watch = try await user.pair("Watch of evil.example/x")
    let notices = try await user.get("/notifications").json["items"].items
    let notice = try #require(notices.first { $0.kind == "security" })
    #expect(notice.data.event == "devicePaired")
    #expect(notice.data.name == "Watch of evil.example/x")
    let text = try #require(notice["text"].text)
    #expect(text.hasPrefix("The device “Watch of evil. example/ x” ("), "\(text)")
    #expect(notices.filter { $0.kind == "security" }.count == 1)
    let mail = try await system.mailbox.mail(to: user.person.email, with: "was paired")
    #expect(mail.contains("(Asia/Tokyo)"))
    // A text supplied by a client does not become a link.
    #expect(!mail.contains("evil.example"))
    _ = try await user.pair("next", replacing: watch.id)
    let after = try await user.get("/notifications").json["items"].items
    #expect(after.filter { $0.kind == "security" }.count == 2)
  }

  @Test("resetting a lost password ends API keys", .tags(.ACC_6))
  func resetOfThirdParty() async throws {
    let system = try await TestSystem.shared()
    let party = try await system.thirdParty()
    _ = try await party.newKey("weekly")
    let key = try await party.newKey("nightly").key
    #expect(try await party.client.get("/req/tp/list", token: key).outcome == .ok)
    try await reset(system, party.company.email, party.client)
    try await waitUntilRefused("the end of the key") {
      try await party.client.get("/req/tp/list", token: key)
    }
    let token = try await logIn(party.company.email, party.client)
    let keys = try await party.client.get("/auth/keys", token: token)
    #expect(keys.json.keys.count == 0, "\(keys.text)")
    let mail = try await system.mailbox.mail(to: party.company.email, with: "API keys and devices")
    #expect(mail.contains("password changed"))
  }

  @Test("resetting a lost password ends devices and pending pairings", .tags(.ACC_6))
  func resetOfSingleUser() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let watch = try await user.pair("watch")
    let assign: JSONValue = ["type": "heartRate", "deviceID": .text(watch.id)]
    #expect(try await user.post("/devices/assign", assign).outcome == .ok)
    let begun = try await user.client.post(
      "/devices/pair/start", ["name": "band", "model": "B1", "types": ["heartRate"]])
    let accepting: JSONValue = ["code": begun.json.code, "accept": true]
    #expect(try await user.post("/devices/pair/confirm", accepting).outcome == .ok)
    try await reset(system, user.person.email, user.client)
    try await waitUntilRefused("the end of the device") {
      try await user.measure(watch.token, 71)
    }
    let finished = try await user.client.post(
      "/devices/pair/finish",
      ["pairingID": begun.json.pairingID, "pairingSecret": begun.json.pairingSecret])
    #expect(finished.outcome == Outcome(404, "Not found"))
    let token = try await logIn(user.person.email, user.client)
    #expect(try await user.client.get("/devices", token: token).json.devices.count == 0)
    // The type has no assigned device after that, so manual entries are stored.
    let byHand = try await user.measure(token, 72)
    #expect((byHand.json.stored, byHand.json.disabled) == (1, 0), "\(byHand.text)")
  }

  @Test("changing a known password ends keys and devices if requested", .tags(.ACC_6))
  func changedPassword() async throws {
    let system = try await TestSystem.shared()
    var (user, party) = (try await system.singleUser(), try await system.thirdParty())
    let watch = try await user.pair("watch")
    _ = try await party.newKey("weekly")
    let key = try await party.newKey("nightly").key
    let alone: JSONValue = ["password": .text(People.password), "endKeysAndDevices": true]
    let refused = try await party.post("/settings/tp/info", alone)
    #expect(refused.outcome == .malformed)
    #expect(refused.field == "endKeysAndDevices")
    let change: JSONValue = [
      "password": .text(People.password), "newPassword": "a new long phrase",
    ]
    (user, party) = (
      try await user.changingPassword(change), try await party.changingPassword(change)
    )
    #expect(try await party.get("/auth/keys").json.keys.count == 2)
    #expect(try await party.client.get("/req/tp/list", token: key).outcome == .ok)
    #expect(try await user.measure(watch.token, 71).outcome == .ok)
    let ending: JSONValue = [
      "password": "a new long phrase", "newPassword": "another long phrase",
      "endKeysAndDevices": true,
    ]
    let (changedUser, changedParty) = (
      try await user.changingPassword(ending), try await party.changingPassword(ending)
    )
    try await waitUntilRefused("the end of the key") {
      try await changedParty.client.get("/req/tp/list", token: key)
    }
    try await waitUntilRefused("the end of the device") {
      try await changedUser.measure(watch.token, 72)
    }
    #expect(try await changedParty.get("/auth/keys").json.keys.count == 0)
    #expect(try await changedUser.get("/devices").json.devices.count == 0)
  }

  @Test(
    "a changed password ends the former token and its streams; keys and devices stay",
    .tags(.ACC_6, .ACC_7, .GW_3))
  func formerToken() async throws {
    let system = try await TestSystem.shared()
    let (user, party) = (try await system.singleUser(), try await system.thirdParty())
    let watch = try await user.pair("watch")
    let key = try await party.newKey("nightly").key
    // A thief who copied the tokens follows the events.
    let streams = [
      try EventReader("/events", user.token, of: system),
      try EventReader("/req/tp/stream", party.token, of: system),
    ]
    defer { for stream in streams { stream.stop() } }
    for stream in streams { try await stream.untilOpen() }
    let change: JSONValue = [
      "password": .text(People.password), "newPassword": "a new long phrase",
    ]
    let nextUser = try await user.changingPassword(change)
    let nextParty = try await party.changingPassword(change)
    #expect(nextUser.token != user.token && nextParty.token != party.token)
    #expect(try await nextUser.get("/auth/me").outcome == .ok)
    #expect(try await nextParty.get("/auth/me").outcome == .ok)
    try await user.waitUntilRefused(user.token)
    try await user.waitUntilRefused(party.token)
    for stream in streams {
      try await eventually("the end of the former token's stream") { stream.ended > 0 }
      #expect(stream.begun == 1)
    }
    #expect(try await party.client.get("/req/tp/list", token: key).outcome == .ok)
    #expect(try await user.measure(watch.token, 71).outcome == .ok)
    #expect(try await nextUser.get("/devices").json.devices.count == 1)
    #expect(try await nextParty.get("/auth/keys").json.keys.count == 1)
  }

  @Test("a callback's secret is rotated: both sign until the overlap is over", .tags(.REQ_2))
  func rotation() async throws {
    let receiver = try await Receiver(isEncrypted: false)
    defer { receiver.stop() }
    let system = try await TestSystem.shared()
    let (user, party) = (try await system.singleUser(), try await system.thirdParty())
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let none = try await party.post("/req/tp/callback/secret", [:])
    #expect(none.outcome == Outcome(404, "Not found"))
    let registered = try await party.post(
      "/req/tp/callback", ["url": .text(receiver.url + "/taken")])
    let first = try #require(registered.json.secret.text)
    for wrong: JSONValue in [-1, 604_801, "1"] {
      let reply = try await party.post("/req/tp/callback/secret", ["overlap": wrong])
      #expect(reply.outcome == .malformed, "\(reply.text)")
    }
    let rotated = try await party.post("/req/tp/callback/secret", ["overlap": 3600])
    let second = try #require(rotated.json.secret.text)
    #expect(rotated.fields["cache-control"] == "no-store")
    #expect(rotated.json.previousUntil.text != nil)
    #expect(
      try await party.get("/req/tp/callback").json.previousUntil == rotated.json.previousUntil)
    // The first call after the challenge, which only the first secret has signed.
    try await deliver(2, user, party, receiver)
    for secret in [first, second] {
      let signed = try await receiver.signatures(of: "/taken", under: secret, skipping: 1)
      #expect(signed.isSuccess, "\(signed.output)")
    }
    let ended = try await party.post("/req/tp/callback/secret", ["overlap": 0])
    let third = try #require(ended.json.secret.text)
    #expect(ended.json.previousUntil.isNull)
    #expect(try await party.get("/req/tp/callback").json.previousUntil.isNull)
    try await deliver(4, user, party, receiver)
    let calls = try receiver.calls(to: "/taken")
    let signatures = calls.compactMap { $0.signature.text?.split(separator: " ").count }
    #expect(signatures == [2, 2, 1, 1])
    let last = try await receiver.signatures(of: "/taken", under: third, skipping: 3)
    #expect(last.isSuccess, "\(last.output)")
  }

  /// Creates an event and waits for this number of calls.
  private func deliver(
    _ count: Int, _ user: SingleUser, _ party: ThirdParty, _ receiver: Receiver
  ) async throws {
    let request = try await party.ask(user, for: ["heartRate"])
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    #expect(try await user.post("/req/single/choice", choice).status == 200)
    _ = try await receiver.calls(to: "/taken", count: count)
  }

  private func reset(
    _ system: TestSystem, _ email: String, _ client: PublicClient
  ) async throws {
    #expect(
      try await client.post("/auth/password/forgot", ["email": .text(email)]).outcome == .ok)
    let mail = try await system.mailbox.mail(to: email, with: "password/reset?token=")
    let found = try #require(mail.firstMatch(of: /password\/reset\?token=([\w.-]+)/))
    let reply = try await client.post(
      "/auth/password/reset",
      ["token": .text(String(found.1)), "newPassword": "a new long phrase"])
    #expect(reply.outcome == .ok, "\(reply.text)")
  }

  private func logIn(_ email: String, _ client: PublicClient) async throws -> String {
    let reply = try await client.post(
      "/auth/login", ["email": .text(email), "password": "a new long phrase"])
    return try #require(reply.json.authToken.text, "\(reply.text)")
  }
}
