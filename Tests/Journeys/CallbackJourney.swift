import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("Callbacks, through the gateway")
struct CallbackJourney {
  @Test(
    "callbacks are signed, retried and in sequence, and none delays another",
    .tags(.REQ_2, .REQ_4), .timeLimit(.minutes(5)))
  func callbacks() async throws {
    let receiver = try await Receiver()
    defer { receiver.stop() }
    let system = try await TestSystem([
      "TRACKME_CALLBACK_ALLOW": "127.0.0.0/8",
      "TRACKME_CALLBACK_AUTHORITIES": receiver.certificate,
    ])
    let user = try await system.singleUser()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    var parties: [String: ThirdParty] = [:]
    var secrets: [String: String] = [:]
    for path in ["/hang", "/huge", "/moved", "/gone", "/later", "/flaky", "/taken"] {
      let party = try await system.thirdParty()
      parties[path] = party
      let reply = try await party.post(
        "/req/tp/callback", ["url": .text(receiver.url + path)])
      try #require(reply.outcome == .ok, "\(path): \(reply.text)")
      #expect(reply.json.secret.text?.hasPrefix("whsec_") == true)
      secrets[path] = reply.json.secret.text
      try await Self.accept(try await party.ask(user, for: ["heartRate"], subscribing: 3600), user)
    }
    try await Self.refusals(system, receiver)
    for path in ["/taken", "/huge"] {
      let calls = try await receiver.calls(to: path, count: 2)
      #expect(calls.map(\.type.text) == ["data.created", "request.answered"], "\(path)")
    }
    try await user.upload("heartRate", [("2024-01-16T10:00:00Z", 62)])
    let calls = try await receiver.calls(to: "/taken", count: 3)
    #expect(calls[2].type == "data.created")
    let flaky = try await receiver.calls(to: "/flaky", count: 4)
    #expect(flaky[0].id == flaky[1].id)
    #expect(flaky[0].body == flaky[1].body)
    #expect(Set(flaky.compactMap(\.seq.int)).count == 3)
    let moved = try #require(parties["/moved"])
    let line = try await eventually("the redirect in the log") {
      let log = try await moved.get("/req/tp/callback/log")
      return log.json.calls.items.last
    }
    #expect((line.status, line.error, line.delivered) == (301, "status", false))
    let gone = try #require(parties["/gone"])
    _ = try await eventually("the callback is off") {
      try await gone.get("/req/tp/callback").json.active == false ? true : nil
    }
    _ = try await eventually("a mail that says so") {
      let mails = try system.mailbox.mails(to: gone.company.email)
      return mails.contains { $0.contains("switched off") } ? true : nil
    }
    let later = try #require(parties["/later"])
    // Its endpoint sends a Retry-After of a thousand seconds: there is no second attempt.
    let attempts = try await eventually("the attempt that was put off") {
      let count = try await later.get("/req/tp/callback").json.failedAttempts
      return count == 0 ? nil : count
    }
    #expect(attempts == 1)
    try await Self.afterwards(try #require(parties["/taken"]), receiver)
    try await Self.signatures(try #require(secrets["/taken"]), receiver)
    await system.stop()
  }

  /// The received calls are signed for the third party that registered the endpoint, and for no
  /// other.
  private static func signatures(_ secret: String, _ receiver: Receiver) async throws {
    let right = try await receiver.signatures(of: "/taken", under: secret)
    #expect(right.isSuccess, "\(right.output)")
    let count = try #require(Int(right.output.filter(\.isNumber)))
    #expect(count > (try receiver.calls(to: "/taken").count))
    let wrong = try await receiver.signatures(of: "/flaky", under: secret)
    #expect(!wrong.isSuccess)
    #expect(wrong.output.contains("is not signed"), "\(wrong.output)")
  }

  private static func accept(_ request: String, _ user: SingleUser) async throws {
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    #expect(try await user.post("/req/single/choice", choice).status == 200)
  }

  private static func refusals(_ system: TestSystem, _ receiver: Receiver) async throws {
    let party = try await system.thirdParty()
    for url in [
      receiver.url + "/stranger", "https://10.0.0.1/", "https://[::ffff:127.0.0.1]/",
      "http://user@127.0.0.1/", "ftp://127.0.0.1/", "https://nobody.invalid/",
    ] {
      let reply = try await party.post("/req/tp/callback", ["url": .text(url)])
      #expect(reply.outcome == .malformed, "\(url): \(reply.text)")
      #expect(reply.field == "url")
    }
    #expect(try await party.get("/req/tp/callback").outcome == Outcome(404, "Not found"))
    #expect(try await party.get("/req/tp/callback/log").json.registered == false)
    let test = try await party.post("/req/tp/callback/test", nil)
    #expect(test.outcome == Outcome(404, "Not found"))
    let resend = try await party.post("/req/tp/callback/resend", ["since": 0])
    #expect(resend.outcome == Outcome(404, "Not found"))
  }

  /// Tests the endpoint, resends events under the same ids, and removes the callback.
  private static func afterwards(_ party: ThirdParty, _ receiver: Receiver) async throws {
    let test = try await party.post("/req/tp/callback/test", nil).json
    #expect((test.delivered, test.status) == (true, 200))
    let before = try receiver.calls(to: "/taken")
    let resend = try await party.post("/req/tp/callback/resend", ["since": 0])
    #expect(resend.outcome == .ok, "\(resend.text)")
    let again = try await receiver.calls(to: "/taken", count: 2 * before.count)
    #expect(again.map(\.id) == before.map(\.id) + before.map(\.id))
    // The connection is reused for the next call.
    #expect(Set(again.dropFirst(before.count).compactMap(\.peer.int)).count < before.count)
    let page = try await party.get("/req/tp/callback/log?limit=2").json
    #expect(page.calls.count == 2)
    #expect(page.registered == true)
    let cursor = try #require(page.next.text)
    #expect(try await party.get("/req/tp/callback/log?cursor=\(cursor)").json.calls.count >= 3)
    #expect(
      try await party.client.send(
        .delete, "/req/tp/callback", token: party.token, body: [], mediaType: nil
      ).status == 200)
    #expect(try await party.get("/req/tp/callback").status == 404)
    // The calls of before stay listed.
    let left = try await party.get("/req/tp/callback/log").json
    #expect(left.registered == false)
    #expect(left.calls.count >= 3)
  }
}

/// A third party's endpoint with TLS on this machine.
struct Receiver {
  let url: String
  let certificate: String
  private let directory: String
  private let process: pid_t

  /// Starts it, with its own certificate or without TLS.
  init(isEncrypted: Bool = true) async throws {
    directory = FileManager.default.temporaryDirectory.path + "/tmrec-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    certificate = directory + "/certificate.pem"
    let key = directory + "/key.pem"
    if isEncrypted {
      let made = try await Program(command: [
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
        "-out", certificate,
      ]).run()
      try #require(made.isSuccess, "\(made.output)")
    }
    let port = try FreePorts.take()
    url = "\(isEncrypted ? "https" : "http")://127.0.0.1:\(port)"
    process = try await Program(
      command: [TestSystem.python, Self.script("receiver"), "\(port)", directory + "/calls"]
        + (isEncrypted ? [certificate, key] : [])
    ).serve(output: directory + "/log")
    let (url, certificate) = (url, certificate)
    _ = try await eventually("the receiver") {
      let outcome = try await Program(
        command: ["curl", "--silent"] + (isEncrypted ? ["--cacert", certificate] : []) + [url]
      ).run()
      return outcome.isSuccess ? true : nil
    }
  }

  private static func script(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().path + "/schemathesis/\(name).py"
  }

  /// The result of an independent program that verifies the signatures of a path's calls.
  func signatures(
    of path: String, under secret: String, skipping count: Int = 0
  ) async throws -> Program.Outcome {
    try await Program(command: [
      TestSystem.python, Self.script("signatures"), directory + "/calls", path, secret,
      "\(count)",
    ]).run()
  }

  func stop() {
    kill(process, SIGKILL)
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// The calls to a path in order of arrival, without challenges and tests.
  func calls(to path: String) throws -> [JSONValue] {
    // The last line may be incomplete.
    guard let data = FileManager.default.contents(atPath: directory + "/calls"),
      let end = data.lastIndex(of: 0x0A)
    else { return [] }
    return try data[..<end].split(separator: 0x0A).map { try JSONValue(Array($0)) }.filter {
      $0.path.text == path && $0.type.text?.hasPrefix("endpoint.") == false
    }
  }

  /// The calls to a path, once there are `count` of them.
  func calls(to path: String, count: Int) async throws -> [JSONValue] {
    try await eventually("\(count) calls to \(path)", within: .seconds(90)) {
      let calls = try calls(to: path)
      return calls.count >= count ? calls : nil
    }
  }
}
