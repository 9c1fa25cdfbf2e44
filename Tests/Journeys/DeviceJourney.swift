import EventLoop
import Foundation
import HTTP
import Requirements
import Support
import Testing
import Time

/// A paired device with the fields that its user sees.
struct PairedDevice {
  let id: String
  let token: String
}

extension SingleUser {
  /// Pairs a device as a person does: the device shows a code, the person enters and accepts it.
  func pair(
    _ name: String, types: JSONValue = ["heartRate"], replacing old: String? = nil
  ) async throws -> PairedDevice {
    let begun = try await client.post(
      "/devices/pair/start", ["name": .text(name), "model": "W1", "types": types])
    try #require(begun.outcome == .ok, "\(begun.text)")
    let secret: JSONValue = [
      "pairingID": begun.json.pairingID, "pairingSecret": begun.json.pairingSecret,
    ]
    let early = try await client.post("/devices/pair/finish", secret)
    #expect(early.status == 202)
    let seen = try await post("/devices/pair/confirm", ["code": begun.json.code])
    #expect(seen.json.name == .text(name))
    var accepting: JSONValue = ["code": begun.json.code, "accept": true]
    if let old { accepting = accepting.with("replaces", .text(old)) }
    let accepted = try await post("/devices/pair/confirm", accepting)
    try #require(accepted.outcome == .ok, "\(accepted.text)")
    let finished = try await client.post("/devices/pair/finish", secret)
    #expect(finished.fields["cache-control"] == "no-store")
    let again = try await client.post("/devices/pair/finish", secret)
    #expect(again.outcome == Outcome(409, "Wrong state"))
    return PairedDevice(
      id: try #require(finished.json.deviceID.text),
      token: try #require(finished.json.deviceToken.text))
  }

  /// Uploads one heart rate with a device's token.
  func measure(
    _ token: String, _ rate: JSONValue, at time: String = "2024-01-15T10:00:00Z"
  ) async throws -> Reply {
    try await client.post(
      "/data/upload", token: token,
      ["dataTypes": ["heartRate"], "values": [rate], "timestamp": [.text(time)]])
  }
}

@Suite("Devices and keys, through the gateway")
struct DeviceJourney {
  @Test(
    "a device is paired, uploads in parallel with its user, and is removed within a second",
    .tags(.DAT_3, .R8, .GW_3))
  func life() async throws {
    let user = try await TestSystem.shared().singleUser()
    let watch = try await user.pair("Anna’s watch")
    #expect(try await user.measure(watch.token, 71).json.stored == 1)
    #expect(try await user.measure(watch.token, 71).json.duplicates == 1)
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 71)])
    let points = try await user.get("/data/series?type=heartRate").json.points.items
    #expect(points.map(\.device) == [.text(watch.id), .null])
    for path in ["/data/stats", "/devices", "/auth/me", "/data/quota"] {
      let refused = try await user.client.get(path, token: watch.token)
      #expect([401, 403].contains(refused.status), "\(path)")
    }
    let seen = try await eventually("the device's last use") {
      let list = try await user.get("/devices").json.devices
      return list[0].lastSeen.text == nil ? nil : list[0]
    }
    #expect(seen.name == "Anna’s watch")
    #expect(try await user.delete("/devices/\(watch.id)").json.message == "Action successful")
    #expect(try await user.delete("/devices/\(watch.id)").outcome == Outcome(404, "Not found"))
    _ = try await eventually("the end of the device's token") {
      let reply = try await user.measure(watch.token, 72)
      return reply.outcome == Outcome(403, "Wrong parameters") ? true : nil
    }
    // The session that removed it is still valid.
    #expect(try await user.get("/auth/me").outcome == .ok)
  }

  @Test("the device that provides a type is selected, and replaced by another", .tags(.DAT_3))
  func assigning() async throws {
    let user = try await TestSystem.shared().singleUser()
    let watch = try await user.pair("watch")
    let band = try await user.pair("band")
    let assign: JSONValue = ["type": "heartRate", "deviceID": .text(watch.id)]
    #expect(try await user.post("/devices/assign", assign).outcome == .ok)
    let other = try await user.measure(band.token, 80)
    #expect((other.json.stored, other.json.disabled) == (0, 1))
    #expect(try await user.measure(watch.token, 70).json.stored == 1)
    let next = try await user.pair("next watch", replacing: watch.id)
    let list = try await user.get("/devices").json.devices.items
    #expect(list.map(\.name) == ["next watch", "band"])
    #expect(list[0].assignedTypes == ["heartRate"])
    #expect(try await user.measure(next.token, 70).json.stored == 1)
    let any = assign.with("deviceID", "any")
    #expect(try await user.post("/devices/assign", any).outcome == .ok)
    #expect(try await user.measure(band.token, 80).json.stored == 1)
  }

  @Test("further guesses are refused after five wrong codes; forged and mistyped codes are refused")
  func guessing() async throws {
    let user = try await TestSystem.shared().singleUser()
    let begun = try await user.client.post(
      "/devices/pair/start", ["name": "watch", "model": "W1", "types": ["heartRate"]])
    let code = try #require(begun.json.code.text)
    let wrong: JSONValue = ["code": .text(code == "555555" ? "555556" : "555555")]
    for _ in 0..<5 {
      let reply = try await user.post("/devices/pair/confirm", wrong, key: "the same")
      #expect(reply.outcome == Outcome(404, "Not found"))
    }
    let sixth = try await user.post("/devices/pair/confirm", ["code": .text(code)])
    #expect(sixth.outcome == Outcome(429, "Too many requests"))
    #expect(sixth.fields["retry-after"] != nil)
    for bad: JSONValue in ["12345", "1234567", "12345x", 123_456] {
      let reply = try await user.post("/devices/pair/confirm", ["code": bad])
      #expect(reply.outcome == .malformed)
    }
    for path in ["/devices/x", "/devices/0", "/devices/01"] {
      #expect(try await user.delete(path).outcome == .malformed, "\(path)")
    }
  }

  @Test(
    "a company's API key works except for account management, until it is revoked",
    .tags(.ACC_10, .GW_3))
  func keys() async throws {
    let system = try await TestSystem.shared()
    let (user, party) = (try await system.singleUser(), try await system.thirdParty())
    let made = try await party.post("/auth/keys", ["name": "nightly"], key: "same")
    #expect(made.fields["cache-control"] == "no-store")
    let key = try #require(made.json.key.text)
    let id = try #require(made.json.keyID.text)
    let second = try await party.post("/auth/keys", ["name": "nightly"], key: "same")
    #expect(second.json.key.text != key)
    let asked = try await party.client.post(
      "/req/tp/sendSingle", token: key,
      ["email": .text(user.person.email), "dataTypes": ["heartRate"], "subscribing": false])
    // There are no samples yet: the request's rules decide, not the token.
    #expect(asked.outcome == Outcome(401, "Wrong parameters"))
    #expect(try await party.client.get("/req/tp/list", token: key).outcome == .ok)
    for path in ["/auth/me", "/auth/keys"] {
      let refused = try await party.client.get(path, token: key)
      #expect(refused.outcome == Outcome(401, "Wrong token"), "\(path)")
    }
    let forged = String(key.dropLast(4)) + "AAAA"
    #expect(
      try await party.client.get("/req/tp/list", token: forged).outcome
        == Outcome(403, "Wrong parameters"))
    _ = try await eventually("the key's last use") {
      let rows = try await party.get("/auth/keys").json.keys.items
      return rows.first { $0.keyID.text == id }?.lastUsedAt.text
    }
    let revoked = try await party.client.send(
      .delete, "/auth/keys/\(id)", token: party.token, body: [], mediaType: nil)
    #expect(revoked.outcome == .ok)
    _ = try await eventually("the end of the key") {
      let reply = try await party.client.get("/req/tp/list", token: key)
      return reply.outcome == Outcome(403, "Wrong parameters") ? true : nil
    }
    #expect(try await party.get("/auth/me").outcome == .ok)
  }

  @Test(
    "the simulated phone pairs, uploads through HTTPS, and sends unsent samples later",
    .tags(.DAT_9, .R7, .R8))
  func simulated() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let file = system.directory + "/phone-\(user.person.fiscalCode)"
    let output = file + ".log"
    func phone(_ count: String) async throws -> Program.Outcome {
      // Its output is read while it runs.
      try await system.run(
        "/bin/sh", "-c", "exec \"$@\" > \(output)", "phone",
        TestSystem.programs + "/trackme-lab", "simulate", "device", "--every", "1", "--send", "1",
        "--count", count, "--file", file)
    }
    async let first = phone("3")
    let code = try await eventually("the phone's code") {
      let text = String(
        decoding: (try? Data(contentsOf: URL(filePath: output))) ?? Data(), as: UTF8.self)
      return text.firstMatch(of: /code (\d{6})/).map { String($0.1) }
    }
    let accepted = try await user.post(
      "/devices/pair/confirm", ["code": .text(code), "accept": true])
    #expect(accepted.json.name == "Simulated phone")
    #expect(try await first.isSuccess)
    #expect(try await user.get("/data/series?type=heartRate").json.points.count == 3)
    // Simulates an hour without the gateway: the samples in the file are sent with the rest.
    let token = try #require(
      try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").first)
    let hourAgo = Environment.system.now().millisecondsSince1970 - 3_600_000
    try Data("\(token)\n\(hourAgo) heartRate 66\n\(hourAgo + 30_000) heartRate 67\n".utf8).write(
      to: URL(filePath: file))
    #expect(try await phone("1").isSuccess)
    let points = try await user.get("/data/series?type=heartRate").json.points.items
    #expect(points.count == 6)
    #expect(points.prefix(2).map(\.value) == [66, 67])
    #expect(points.allSatisfy { $0.device == accepted.json.deviceID })
  }
}
