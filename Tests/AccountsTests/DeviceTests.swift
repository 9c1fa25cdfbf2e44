import Accounts
import Data4HelpFixture
import Domain
import HealthRecords
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Testing

@Suite("Devices")
struct DeviceTests {
  @Test("every statement of devices and keys agrees with the schema")
  func schema() async throws {
    try await TestDatabase.with { database in
      let problems = try StatementCheck.problems(
        of: DeviceStatements.all + ProgramKeyStatements.all, at: database.url(as: "data4help"))
      #expect(problems == [])
    }
  }

  @Test(
    "a code entered during the account's deletion is unknown, and pairs nothing",
    .tags(.ACC_8), arguments: [false, true])
  func deletedMeanwhile(isAccepted: Bool) async throws {
    try await HealthDataTest.run { test in
      let anna = try await test.newOwner()
      let begun = try await test.start()
      let accepting = #","accept":true"#
      if isAccepted { _ = try await test.confirm(begun["code"], as: anna, accepting) }
      let deletion = try test.data.session()
      try deletion.run("BEGIN; DELETE FROM data4help.accounts")
      async let reply =
        isAccepted ? test.finish(begun) : test.confirm(begun["code"], as: anna, accepting)
      try await test.data.untilLockIsAwaited()
      try deletion.run("COMMIT")
      #expect(try await reply.status == (isAccepted ? 404 : 401))
      #expect(
        try test.value("SELECT count(*)::text FROM data4help.sessions WHERE bearer <> 1") == "0")
    }
  }

  @Test("a device that fetches its token locks the account before its pairing", .tags(.ACC_8))
  func lockOrder() async throws {
    try await HealthDataTest.run { test in
      let anna = try await test.newOwner()
      let begun = try await test.start()
      _ = try await test.confirm(begun["code"], as: anna, #","accept":true"#)
      let sessions = try test.data.session()
      try sessions.run("BEGIN; SELECT FROM data4help.session_clock FOR UPDATE")
      async let reply = test.finish(begun)
      try await test.data.untilLockIsAwaited()
      // Here a deletion would wait for the device, and the device only for these sessions.
      let deletion = try test.data.session()
      #expect(throws: (any Error).self) {
        try deletion.run("SELECT FROM data4help.accounts FOR UPDATE NOWAIT")
      }
      try sessions.run("COMMIT")
      #expect(try await reply.status == 200)
    }
  }

  @Test("a device is identified by its code, accepted, and receives its token once", .tags(.DAT_3))
  func pairing() async throws {
    try await HealthDataTest.run { test in
      let anna = try await test.newOwner()
      let begun = try await test.start()
      #expect((begun["code"] as? String)?.count == 6)
      #expect(begun["expiresIn"] as? Int == 600)
      #expect(try await test.finish(begun).status == 202)
      let seen = try await test.confirm(begun["code"], as: anna)
      #expect(seen.object["name"] as? String == "Watch of Anna")
      #expect(seen.object["model"] as? String == "W1")
      #expect(seen.object["deviceID"] == nil)
      #expect(try await test.finish(begun).status == 202)
      let accepted = try await test.confirm(begun["code"], as: anna, #","accept":true"#)
      #expect(accepted.object["deviceID"] as? String == "1")
      // Repeated, it is the same device; for another account the code is unknown.
      let again = try await test.confirm(begun["code"], as: anna, #","accept":true"#)
      #expect(again.object["deviceID"] as? String == "1")
      let bruno = try await test.newOwner()
      #expect(try await test.confirm(begun["code"], as: bruno).status == 404)
      let token = try await test.finish(begun)
      #expect((token.object["deviceToken"] as? String)?.hasPrefix("tmd_") == true)
      #expect(try await test.finish(begun).status == 409)
      #expect(
        try test.value("SELECT count(*)::text FROM data4help.sessions WHERE device = 1") == "1")
    }
  }

  @Test("a code is valid for ten minutes, and a wrong secret receives nothing", .tags(.DAT_3))
  func time() async throws {
    try await HealthDataTest.run { test in
      let anna = try await test.newOwner()
      let (first, second) = (try await test.start(), try await test.start())
      try test.clock.move(to: "2026-03-15T11:09:59Z")
      #expect(try await test.confirm(first["code"], as: anna).status == 200)
      var wrong = first
      wrong["pairingSecret"] = second["pairingSecret"]
      #expect(try await test.finish(wrong).status == 404)
      wrong["pairingSecret"] = "x"
      #expect(try await test.finish(wrong).status == 404)
      try test.clock.move(to: "2026-03-15T11:10:00Z")
      #expect(try await test.confirm(second["code"], as: anna).status == 404)
      #expect(try await test.finish(second).status == 404)
    }
  }

  @Test("at most five wrong codes are checked in an hour, even if sent at once", .tags(.DAT_3))
  func guessing() async throws {
    try await HealthDataTest.run { test in
      let anna = try await test.newOwner()
      let begun = try await test.start()
      let wrong = test.other(begun["code"])
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<30 {
          group.addTask { try await test.confirm(wrong, as: anna).status }
        }
        return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [404: 5, 429: 25])
      #expect(try await test.confirm(begun["code"], as: anna).status == 429)
      let bruno = try await test.newOwner()
      #expect(try await test.confirm(begun["code"], as: bruno).status == 200)
      try test.clock.move(to: "2026-03-15T12:00:00Z")
      let later = try await test.start()
      #expect(try await test.confirm(later["code"], as: anna).status == 200)
    }
  }

  @Test(
    "pending devices have distinct codes: at most 1000, and 100 of one network",
    .tags(.DAT_3))
  func waiting() async throws {
    try await HealthDataTest.run { test in
      var codes: Set<String> = []
      for _ in 0..<50 { codes.insert(try await test.start()["code"] as? String ?? "") }
      #expect(codes.count == 50)
      try test.data.run(
        """
        INSERT INTO data4help.pairings
          (code_blind, pairing_id, secret_hash, sealed_description, types, expires_at, holder)
        SELECT sha256(n::text::bytea), gen_random_uuid(), '', '', 4,
               timestamptz '2026-03-15T11:05:00Z' + make_interval(secs => n), 'crowd'
          FROM generate_series(1, 949) AS n
        """)
      let body = #"{"name":"a","model":"b","types":["steps"]}"#
      func start(_ address: String) async throws -> Int {
        try await test.devices(.startPairing, body, from: address).status
      }
      #expect(try await start("192.0.2.1") == 200)
      #expect(try test.value("SELECT count(*) FROM data4help.pairings") == "1000")
      // The oldest pairing of the network with the most pairings is evicted.
      #expect(try await start("192.0.2.1") == 200)
      #expect(try test.value("SELECT count(*) FROM data4help.pairings") == "1000")
      #expect(
        try test.value(
          "SELECT count(*) FROM data4help.pairings WHERE holder = 'crowd'") == "948")
      #expect(
        try test.value(
          "SELECT count(*) FROM data4help.pairings WHERE code_blind = sha256('1')") == "0")
      for _ in 0..<98 { _ = try await start("192.0.2.1") }
      #expect(try await start("192.0.2.1") == 429)
      #expect(try await start("192.0.2.2") == 200)
      for host in 0..<100 { _ = try await start("2001:db8:0:1:0:0:0:\(host)") }
      #expect(try await start("2001:db8:0:1:1:1:1:1") == 429)
      #expect(try await start("2001:db8:0:2:0:0:0:1") == 200)
      try test.clock.move(to: "2026-03-15T11:10:00Z")
      #expect(try await start("192.0.2.1") == 200)
    }
  }

  @Test(
    "an account has at most twenty devices, and one may replace another", .tags(.DAT_3))
  func room() async throws {
    try await HealthDataTest.run { test in
      let anna = try await test.newOwner()
      for number in 1...20 { #expect(try await test.pair(anna) == "\(number)") }
      let begun = try await test.start()
      let full = try await test.confirm(begun["code"], as: anna, #","accept":true"#)
      #expect(full.status == 409)
      let unknown = try await test.confirm(
        begun["code"], as: anna, #","accept":true,"replaces":"77""#)
      #expect(unknown.status == 404)
      let replacing = try await test.confirm(
        begun["code"], as: anna, #","accept":true,"replaces":"3""#)
      #expect(replacing.object["deviceID"] as? String == "21")
      let list = try await test.devices(.listDevices, as: anna).list("devices")
      #expect(list.compactMap { $0["deviceID"] as? String }.contains("3") == false)
      #expect(list.count == 20)
      let ended: StaticString = """
        SELECT string_agg(device::text, ',') FROM data4help.sessions WHERE ended_at IS NOT NULL
        """
      #expect(try test.value(ended) == "3")
    }
  }

  @Test("a device uploads only the types for which it was paired", .tags(.DAT_3))
  func undeclared() async throws {
    try await HealthDataTest.run { test in
      let anna = try await test.newOwner()
      _ = try await test.pair(anna)
      func upload(_ type: String, _ bearer: Bearer) async throws -> Reply {
        let body = HealthDataTest.body([
          ("heartRate", "70", "2026-03-15T10:00:00Z"), (type, "70", "2026-03-15T10:00:00Z"),
        ])
        return try await test.devices(.upload, body, as: anna, bearer)
      }
      let refused = try await upload("weight", .device(1))
      #expect(refused.status == 403)
      #expect(try await test.everything(of: anna).isEmpty)
      #expect(try await upload("steps", .device(1)).counts == [2, 0, 0, 0, 0])
      #expect(try await upload("weight", .login).counts == [2, 0, 0, 0, 0])
      #expect(try await upload("steps", .device(9)).status == 403)
    }
  }

  @Test("another application registers as a device does, and is a source of data", .tags(.DAT_3))
  func application() async throws {
    try await HealthDataTest.run { test in
      let anna = try await test.newOwner()
      let begun = try await test.devices(
        .startPairing, #"{"name":"My diary","model":"Diary 4.2 for Android","types":["weight"]}"#
      ).object
      let seen = try await test.confirm(begun["code"], as: anna)
      #expect(seen.object["name"] as? String == "My diary")
      #expect(seen.object["model"] as? String == "Diary 4.2 for Android")
      _ = try await test.confirm(begun["code"], as: anna, #","accept":true"#)
      let token = try await test.finish(begun).object
      #expect((token["deviceToken"] as? String)?.hasPrefix("tmd_") == true)
      let body = HealthDataTest.body([("weight", "70", "2026-03-15T10:00:00Z")])
      let stored = try await test.devices(.upload, body, as: anna, .device(1))
      #expect(stored.counts == [1, 0, 0, 0, 0])
    }
  }

  @Test("a name or a model with control or direction characters is refused", .tags(.DAT_3))
  func controlCharacters() async throws {
    try await HealthDataTest.run { test in
      for (name, model) in [
        (#"a\nb"#, "W1"), (#"\u0007a"#, "W1"), ("a", #"W\u007f"#), (#"a\u202eb"#, "W1"),
        ("a", #"W\u2028b"#), ("a", #"W\ue000"#), (#"\ufeffa"#, "W1"),
      ] {
        let body = #"{"name":"\#(name)","model":"\#(model)","types":["steps"]}"#
        let refused = try await test.devices(.startPairing, body)
        #expect(refused.status == 400)
      }
      let fine = #"{"name":"Orologio d’Anna 2é","model":"W\u00f6","types":["steps"]}"#
      let taken = try await test.devices(.startPairing, fine)
      #expect(taken.status == 200)
    }
  }

  @Test(
    "an assigned type is accepted from its device and by hand; others get `disabled`",
    .tags(.DAT_3))
  func assigning() async throws {
    try await HealthDataTest.run { test in
      let anna = try await test.newOwner()
      let (watch, phone) = (try await test.pair(anna), try await test.pair(anna))
      func upload(_ bearer: Bearer, _ minute: Int) async throws -> [Int] {
        let time = "2026-03-15T10:\(10 + minute):00Z"
        let body = HealthDataTest.body([("heartRate", "70", time), ("steps", "70", time)])
        return try await test.devices(.upload, body, as: anna, bearer).counts
      }
      func assign(_ type: String, _ device: String) async throws -> Int {
        try await test.devices(
          .assignDevice, #"{"type":"\#(type)","deviceID":"\#(device)"}"#, as: anna
        ).status
      }
      #expect(try await upload(.device(1), 0) == [2, 0, 0, 0, 0])
      // The same reading from another device is another sample.
      #expect(try await upload(.device(2), 0) == [2, 0, 0, 0, 0])
      #expect(try await upload(.device(2), 0) == [0, 2, 0, 0, 0])
      #expect(try await assign("heartRate", watch) == 200)
      #expect(try await assign("weight", watch) == 409)
      #expect(try await assign("heartRate", "9") == 404)
      #expect(try await upload(.device(2), 1) == [1, 0, 1, 0, 0])
      #expect(try await upload(.device(1), 2) == [2, 0, 0, 0, 0])
      #expect(try await upload(.login, 3) == [2, 0, 0, 0, 0])
      #expect(
        Set(try await test.everything(of: anna).map(\.sample.device)) == [0, 1, 2])
      // A replacement inherits the types of its predecessor.
      let successor = try await test.pair(anna, #","replaces":"\#(watch)""#)
      let list = try await test.devices(.listDevices, as: anna).list("devices")
      #expect(list.map { $0["deviceID"] as? String } == [successor, phone])
      #expect(list[0]["assignedTypes"] as? [String] == ["heartRate"])
      #expect(try await upload(.device(2), 4) == [1, 0, 1, 0, 0])
      #expect(try await assign("heartRate", "any") == 200)
      #expect(try await upload(.device(2), 5) == [2, 0, 0, 0, 0])
    }
  }

  @Test(
    "a removed device's number is never reused, and others' devices are not found",
    .tags(.DAT_3))
  func removing() async throws {
    try await HealthDataTest.run { test in
      let (anna, bruno) = (try await test.newOwner(), try await test.newOwner())
      let watch = try await test.pair(anna)
      func remove(_ account: AccountID) async throws -> Int {
        try await test.devices(.removeDevice, as: account, .login, [("deviceID", watch)]).status
      }
      #expect(try await remove(bruno) == 404)
      #expect(try await remove(anna) == 200)
      #expect(try await remove(anna) == 404)
      #expect(try await test.devices(.listDevices, as: anna).list("devices").isEmpty)
      #expect(try await test.pair(anna) == "2")
    }
  }
}

@Suite("Keys of third parties", .tags(.ACC_10))
struct ProgramKeyTests {
  @Test("a key is shown once, is in the list, and is revoked only by its owner")
  func life() async throws {
    try await HealthDataTest.run { test in
      let (clinic, studio) = (try await test.newOwner(2), try await test.newOwner(2))
      let made = try await test.devices(.createKey, #"{"name":"nightly"}"#, as: clinic)
      let id = try #require(made.object["keyID"] as? String)
      #expect((made.object["key"] as? String)?.hasPrefix("tmk_") == true)
      let rows = try await test.devices(.listKeys, as: clinic).list("keys")
      #expect(rows.map { $0["name"] as? String } == ["nightly"])
      #expect(rows.first?["key"] == nil && rows.first?["lastUsedAt"] as? String == nil)
      func revoke(_ account: AccountID) async throws -> Int {
        try await test.devices(.revokeKey, as: account, .login, [("keyID", id)]).status
      }
      #expect(try await revoke(studio) == 404)
      #expect(try await revoke(clinic) == 200)
      #expect(try await revoke(clinic) == 404)
      let ended: StaticString = """
        SELECT count(*)::text FROM data4help.sessions WHERE bearer = 2 AND ended_at IS NOT NULL
        """
      #expect(try test.value(ended) == "1")
    }
  }

  @Test("an account has at most twenty keys, even if created at once, with named limits")
  func limits() async throws {
    try await HealthDataTest.run { test in
      let clinic = try await test.newOwner(2)
      func make(_ name: String) async throws -> Int {
        try await test.devices(.createKey, #"{"name":"\#(name)"}"#, as: clinic).status
      }
      for name in ["", "   ", String(repeating: "è", count: 101)] {
        #expect(try await make(name) == 400)
      }
      #expect(try await make(String(repeating: "è", count: 100)) == 200)
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<30 { group.addTask { try await make("key \(number)") } }
        return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [200: 19, 409: 11])
    }
  }
}
