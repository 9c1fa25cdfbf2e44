import Foundation
import HTTP
import Requirements
import Support
import Testing

/// Push messages through the gateway to a push service that decrypts them with an independent
/// library and verifies their sender (`pushserver.py`).
@Suite("Push messages, through the gateway", .serialized)
struct PushJourney {
  /// A running push service, and a system that may reach it.
  private struct Stage: Sendable {
    let system: TestSystem
    let port: UInt16
    let directory: String

    /// The subscription of a browser; each name is a browser of its own.
    func browser(_ name: String) async throws -> JSONValue {
      let outcome = try await system.run("curl", "-s", "http://127.0.0.1:\(port)/browser/\(name)")
      return try JSONValue(Array(outcome.output.utf8))
    }

    /// The messages of a browser so far. A message that the push service could not open is a
    /// failure.
    func messages(of name: String) throws -> [JSONValue] {
      let files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
      for file in files where file.hasPrefix("fault-") {
        Issue.record("\(try String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8))")
      }
      return try files.filter { $0.hasPrefix("\(name)-") }.map { file in
        try JSONValue(Array(Data(contentsOf: URL(filePath: "\(directory)/\(file)"))))
      }
    }

    func firstMessage(of name: String) async throws -> JSONValue {
      try await eventually("a message to \(name)") { try messages(of: name).first }
    }
  }

  private static let stage = Task {
    let directory = FileManager.default.temporaryDirectory.path + "/tmps-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let port = try FreePorts.take()
    let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/pushserver.py"
    _ = try await Program(
      command: [TestSystem.python, "-B", script, "\(port)", directory + "/push"]
    ).serve(output: directory + "/log")
    let system = try await TestSystem([
      "TRACKME_CALLBACK_ALLOW": "127.0.0.0/8", "TRACKME_SOS_ACKNOWLEDGE": "60",
    ])
    let stage = Stage(system: system, port: port, directory: directory + "/push")
    try await eventually("the push service") { FreePorts.isListenedOn(port) }
    return stage
  }

  private func subscribe(
    _ name: String, of stage: Stage, _ post: (String, JSONValue?) async throws -> Reply
  ) async throws -> String {
    let reply = try await post("/notifications/push", try await stage.browser(name))
    try #require(reply.outcome == .ok, "\(reply.text)")
    return try #require(reply.json.subscriptionID.text)
  }

  private static func remove(_ path: String, _ user: SingleUser) async throws -> Reply {
    try await user.client.send(.delete, path, token: user.token, body: [], mediaType: nil)
  }

  @Test(
    "a request reaches a closed page, encrypted for its browser and without health data",
    .tags(.NTF_2, .NTF_3), .timeLimit(.minutes(5)))
  func request() async throws {
    let stage = try await Self.stage.value
    let user = try await stage.system.singleUser()
    _ = try await subscribe("phone", of: stage) { try await user.post($0, $1) }
    let party = try await stage.system.thirdParty()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let request = try await party.ask(user, for: ["heartRate"])
    let message = try await stage.firstMessage(of: "phone")
    let content = message["content"]
    #expect(content.title == "Richiesta dei tuoi dati")
    let text = content["text"].text ?? ""
    #expect(
      text.hasPrefix("\(party.company.name) chiede dati (una volta sola). Rispondi entro il "))
    for word in ["frequenza", "cardiaca", "heartRate", "61", user.person.name, request] {
      #expect(!content.description.contains(word), "\(content)")
    }
    #expect(content.address == "/app/followers?part=pending")
    #expect((message.urgency, message.topic, content.urgent) == ("normal", .null, false))
    let known = try await user.get("/notifications/push").json
    #expect(message.key == known.publicKey)
    #expect(message.contact.text?.hasPrefix("mailto:trackme@") == true)
    #expect(known.subscriptions.count == 1)
    // The mail arrives as well: push replaces no other way.
    _ = try await stage.system.mailbox.mail(to: user.person.email, with: "chiede frequenza")
  }

  @Test(
    "a removed browser, one that is logged out and one that is gone get nothing more",
    .tags(.NTF_2), .timeLimit(.minutes(5)))
  func endings() async throws {
    let stage = try await Self.stage.value
    let user = try await stage.system.singleUser()
    let removed = try await subscribe("removed", of: stage) { try await user.post($0, $1) }
    for name in ["gone", "busy", "kept"] {
      _ = try await subscribe(name, of: stage) { try await user.post($0, $1) }
    }
    let stranger = try await stage.system.singleUser()
    let path = "/notifications/push/\(removed)"
    let refused = Outcome(404, "Not found")
    #expect(try await Self.remove(path, stranger).outcome == refused)
    #expect(try await Self.remove(path, user).outcome == .ok)
    #expect(try await Self.remove(path, user).outcome == refused)
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let party = try await stage.system.thirdParty()
    _ = try await party.ask(user, for: ["heartRate"])
    _ = try await stage.firstMessage(of: "kept")
    // Its first attempt was answered with 503, and is repeated.
    _ = try await stage.firstMessage(of: "busy")
    let left = try await eventually("the end of the subscription") {
      let list = try await user.get("/notifications/push").json.subscriptions
      return list.count == 2 ? list.items.compactMap(\.endpoint.text) : nil
    }
    #expect(left.allSatisfy { $0.hasSuffix("/kept") || $0.hasSuffix("/busy") })
    #expect(try await user.post("/auth/logout", nil).outcome == .ok)
    let token = try await stage.system.logIn(user.person.email, user.client)
    let after = try await user.client.get("/notifications/push", token: token)
    #expect(after.json.subscriptions.count == 0)
    #expect(try stage.messages(of: "removed").isEmpty)
    #expect(try stage.messages(of: "gone").isEmpty)
  }

  @Test(
    "a browser that a thief subscribed with the copied token gets nothing after a changed password",
    .tags(.ACC_6, .NTF_2), .timeLimit(.minutes(5)))
  func changedPassword() async throws {
    let stage = try await Self.stage.value
    let user = try await stage.system.singleUser()
    for name in ["owner", "thief"] {
      _ = try await subscribe(name, of: stage) { try await user.post($0, $1) }
    }
    let changed = try await user.changingPassword([
      "password": .text(People.password), "newPassword": "a new long phrase",
    ])
    #expect(try await changed.get("/notifications/push").json.subscriptions.count == 0)
    // As the page that changed the password does.
    _ = try await subscribe("owner", of: stage) { try await changed.post($0, $1) }
    try await user.waitUntilRefused(user.token)
    let refused = try await user.post("/notifications/push", try await stage.browser("thief"))
    #expect(refused.status == 401, "\(refused.text)")
    try await changed.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let party = try await stage.system.thirdParty()
    _ = try await party.ask(changed, for: ["heartRate"])
    _ = try await stage.firstMessage(of: "owner")
    let list = try await changed.get("/notifications/push").json.subscriptions
    #expect(list.count == 1)
    #expect(try stage.messages(of: "thief").isEmpty)
  }

  @Test(
    "a subscription to a private address or without a browser's keys is refused", .tags(.NTF_2),
    .timeLimit(.minutes(3)))
  func refusals() async throws {
    let stage = try await Self.stage.value
    let user = try await stage.system.singleUser()
    let browser = try await stage.browser("refused")
    for endpoint in [
      "https://10.0.0.1/push", "https://[::1]/push", "https://169.254.169.254/push",
      "http://push.example.net/push",
    ] {
      let reply = try await user.post(
        "/notifications/push", browser.with("endpoint", .text(endpoint)))
      #expect(reply.outcome == Outcome(400, "Malformed request"), "\(reply.text)")
      #expect(reply.json.field == "endpoint")
    }
    let keys = try await user.post("/notifications/push", browser.with("auth", "AAAA"))
    #expect((keys.status, keys.json.field) == (400, "auth"))
    #expect(try await user.get("/notifications/push").json.subscriptions.count == 0)
  }

  // One emergency from the reading to the call: each message depends on the previous one.
  @Test(
    "an emergency reaches the closed pages of the person and of the hospital at once, urgently",
    .tags(.NTF_2, .SOS_2, .SOS_5), .timeLimit(.minutes(5)))
  func emergency() async throws {
    let stage = try await Self.stage.value
    let user = try await stage.system.monitoredUser()
    _ = try await subscribe("person", of: stage) { try await user.post($0, $1) }
    let hospital = try await stage.system.hospital(at: "45.46,9.19")
    _ = try await subscribe("hospital", of: stage) { try await hospital.post($0, $1) }
    try await user.raiseHeartRate()
    let warning = try await stage.firstMessage(of: "person")
    #expect((warning.urgency, warning["content"].urgent) == ("high", true))
    #expect(warning["content"].title == "AutomatedSOS")
    #expect(warning["content"]["text"].text?.hasPrefix("Emergenza: ") == true)
    #expect(warning["content"].address == "/app/sos")
    #expect(warning.topic.text?.count == 32)
    let call = try await stage.firstMessage(of: "hospital")
    #expect(call.urgency == "high")
    #expect(call["content"].title == "Chiamata di emergenza")
    #expect(call["content"].address == "/app/emergencies")
    let values = (131...139).map(\.description)
    for message in try stage.messages(of: "person") + [call] {
      let shown = message["content"]["text"].text ?? ""
      for word in values + ["battito", "frequenza", user.person.name, "45.46"] {
        #expect(!shown.contains(word), "\(shown)")
      }
    }
    let emergency: JSONValue = [
      "episodeID": try await user.get("/sos/history").json.episodes[0].episodeID
    ]
    #expect(try await user.post("/sos/falseAlarm", emergency).outcome == .ok)
  }
}
