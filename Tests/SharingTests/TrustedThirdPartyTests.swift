import Data4HelpFixture
import Domain
import PostgresFixture
import PublicAPI
import Requirements
import Testing

@Suite("The list of trusted third parties")
struct TrustedThirdPartyTests {
  @Test(
    "the request of a listed third party is accepted at once, and both sides are notified",
    .tags(.REQ_3, .REQ_4))
  func acceptedAtOnce() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(3)
      try await stage.store(2, of: .steps)
      #expect(try await stage.list("\"piva\":\"12345670157\"").status == 200)
      stage.clock.advance(seconds: 5)
      let sent = try await stage.send(
        """
        {"email":"\(Known.marioEmail)","dataTypes":["heartRate","weight"],"subscribing":false}
        """)
      #expect(sent["status"] == "accepted")
      let requestID = try #require(sent["reqID"])
      let row = try #require(try await stage.personList().list("requests").first)
      #expect(row["status"] as? String == "accepted")
      #expect(row["preconfirmed"] as? Bool == true)
      #expect(row["acceptedTypes"] as? [String] == ["heartRate", "weight"])
      // Only the requested types, and the data stored at that moment.
      let page = try await stage.data(requestID)
      let delivered = page.list("samples").compactMap { $0["dataType"] as? String }
      #expect(delivered == ["heartRate", "heartRate", "heartRate"])
      let proof = try stage.cell(
        "SELECT created_at - trusted_at = '5 s' FROM data4help.single_requests")
      #expect(proof == "t")
      let notified = try await stage.noticeData(Known.mario, .singleUser)
      #expect(notified.map { $0["status"] as? String } == ["accepted"])
      #expect(notified.map { $0["company_name"] as? String } == ["Clinic"])
      let answers = try await stage.noticeData(Known.clinic, .thirdParty)
      #expect(answers.map { $0["status"] as? String } == ["accepted"])
      let events = try await stage.call(.thirdPartyEvents, by: Known.clinic, .thirdParty)
      let types = events.list("events").compactMap { $0["type"] as? String }
      #expect(types.contains("request.answered"))
    }
  }

  @Test("another third party's request still waits for an answer", .tags(.REQ_3))
  func othersWait() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      _ = try await stage.list("\"email\":\"clinic@example.com\"")
      let requestID = try await stage.ask(by: Known.studio)
      #expect(try await stage.data(requestID, by: Known.studio).status == 409)
      let row = try #require(try await stage.personList().list("requests").first)
      #expect(row["preconfirmed"] as? Bool == false)
    }
  }

  @Test("removal from the list affects only future requests", .tags(.REQ_3))
  func takenOff() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      _ = try await stage.list("\"piva\":\"12345670157\"")
      let before = try await stage.subscribe()
      _ = try await stage.list("\"piva\":\"12345670157\"", allowed: false)
      // A repetition changes nothing.
      #expect(try await stage.list("\"piva\":\"12345670157\"", allowed: false).status == 200)
      let after = try await stage.subscribe()
      #expect(try await stage.status(before) == "accepted")
      #expect(try await stage.status(after) == "pending")
      #expect(try await stage.data(before).status == 200)
      #expect(try await stage.shown().isEmpty)
    }
  }

  @Test(
    "a repeated accepted request has the same answer, whatever changed since", .tags(.REQ_3))
  func repeated() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      _ = try await stage.list("\"piva\":\"12345670157\"")
      let body = """
        {"reqID":"6d1f0e6c-0e6b-4b0e-9f3e-1d2c3b4a5968","email":"\(Known.marioEmail)",
        "dataTypes":["heartRate"],"subscribing":false}
        """
      #expect(try await stage.send(body)["status"] == "accepted")
      _ = try await stage.list("\"piva\":\"12345670157\"", allowed: false)
      _ = try await stage.endByPerson("6d1f0e6c-0e6b-4b0e-9f3e-1d2c3b4a5968")
      #expect(try await stage.send(body)["status"] == "accepted")
      #expect(try await stage.personList().list("requests").count == 1)
    }
  }

  @Test("the list is the person's own, newest first, in pages", .tags(.REQ_3))
  func pages() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      _ = try await stage.list("\"piva\":\"12345670157\"")
      stage.clock.advance(seconds: 1)
      _ = try await stage.list("\"piva\":\"00743110157\"")
      stage.clock.advance(seconds: 1)
      // A repeated listing keeps its position and its time.
      _ = try await stage.list("\"piva\":\"12345670157\"")
      let names = try await stage.shown().compactMap { $0["company_name"] as? String }
      #expect(names == ["Studio", "Clinic"])
      let first = try await stage.call(
        .listPreconfirmed, query: "limit=1", by: Known.mario, .singleUser)
      let second = try await stage.call(
        .listPreconfirmed, query: "limit=1&cursor=\(try first.next)", by: Known.mario, .singleUser)
      #expect(second.list("thirdParties").map { $0["piva"] as? String } == ["12345670157"])
      #expect(
        second.list("thirdParties").map { $0["since"] as? String } == ["2026-11-18T12:00:00Z"])
      #expect(second["next"] == nil)
      let others = try await stage.call(.listPreconfirmed, by: Known.laura, .singleUser)
      #expect(others.list("thirdParties").isEmpty)
    }
  }

  @Test("unknown third parties, persons, two identifiers and none are refused", .tags(.REQ_3))
  func refused() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for name in ["\"piva\":\"00905811006\"", "\"email\":\"\(Known.lauraEmail)\""] {
        #expect(try await stage.list(name).status == 404)
        #expect(try await stage.list(name, allowed: false).status == 404)
      }
      let both = "\"piva\":\"12345670157\",\"email\":\"clinic@example.com\""
      for body in ["\"x\":1", both] {
        let reply = try await stage.list(body)
        #expect(reply.status == 400)
        #expect(reply["field"] == "piva")
      }
      #expect(try await stage.list("\"piva\":\"12345670158\"").status == 400)
      #expect(try await stage.shown().isEmpty)
    }
  }

  @Test("no request to an inactive person is accepted, not even during sending", .tags(.REQ_3))
  func inactive() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      _ = try await stage.list("\"piva\":\"12345670157\"")
      try stage.run("UPDATE data4help.accounts SET state = 3 WHERE account_id = \(Known.mario)")
      let reply = try await stage.send(
        "{\"email\":\"\(Known.marioEmail)\",\"dataTypes\":[\"heartRate\"],\"subscribing\":false}")
      #expect(reply.status == 401)
      #expect(try stage.cell("SELECT count(*) FROM data4help.single_requests") == "0")
    }
  }

  @Test(
    "no request is accepted after the removal from the list was confirmed",
    .tags(.REQ_3))
  func race() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      for _ in 0..<5 {
        _ = try await stage.list("\"piva\":\"12345670157\"")
        let accepted = try await withThrowingTaskGroup(of: String?.self) { group in
          for index in 0..<16 {
            group.addTask {
              if index == 4 {
                let reply = try await stage.list("\"piva\":\"12345670157\"", allowed: false)
                #expect(reply.status == 200)
                // From here on requests are not accepted by the list.
                let late = try await stage.subscribe()
                #expect(try await stage.status(late) == "pending")
                return nil
              }
              return try await stage.subscribe()
            }
          }
          var sent: [String] = []
          for try await requestID in group { if let requestID { sent.append(requestID) } }
          return sent
        }
        // Each request is complete: accepted with its proof and its data, or pending.
        let rows = try await stage.companyList("limit=500").list("requests")
        for row in rows where accepted.contains(row["reqID"] as? String ?? "") {
          let status = row["status"] as? String
          #expect(status == "accepted" || status == "pending", "\(status ?? "")")
        }
        let halves = try stage.cell(
          """
          SELECT count(*) FROM data4help.single_requests
           WHERE (trusted_at IS NULL) <> (status IN (1, 4))
          """)
        #expect(halves == "0")
        let logged = try stage.cell(
          """
          SELECT count(*) FROM data4help.single_requests AS request
           WHERE (status = 2) <> EXISTS (
             SELECT FROM data4help.third_party_log AS log
              WHERE log.request_id = request.request_id AND kind = 1)
          """)
        #expect(logged == "0")
        // At most twenty may be pending.
        try stage.run("UPDATE data4help.single_requests SET status = 4 WHERE status = 1")
      }
    }
  }
}

extension SingleRequestStage {
  /// Adds a third party to Mario's list, or removes it.
  fileprivate func list(
    _ name: String, allowed: Bool = true
  ) async throws -> Reply {
    try await call(
      .choosePreconfirmed, "{\(name),\"allowed\":\(allowed)}", by: Known.mario, .singleUser)
  }

  fileprivate func shown() async throws -> [[String: Any]] {
    try await call(.listPreconfirmed, by: Known.mario, .singleUser).list("thirdParties")
  }
}
