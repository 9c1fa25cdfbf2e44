import Data4HelpFixture
import Domain
import Foundation
import HTTP
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Testing

@Suite("Answering single requests")
struct SingleRequestAnswerTests {
  @Test("only the person asked sees the request and its sender", .tags(.R12, .REQ_5))
  func list() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(3)
      let requestID = try await stage.subscribe("\"heartRate\",\"steps\"", seconds: 60)
      let entry = try #require(try await stage.personList().list("requests").first)
      #expect(entry["reqID"] as? String == requestID)
      #expect(entry["email"] as? String == "clinic@example.com")
      #expect(entry["piva"] as? String == "12345670157")
      #expect(entry["company_name"] as? String == "Clinic")
      #expect(entry["company_description"] as? String == "We are Clinic.")
      #expect(entry["dataTypes"] as? [String] == ["heartRate", "steps"])
      #expect(entry["status"] as? String == "pending")
      #expect(entry["subscribing"] as? Bool == true)
      #expect(entry["duration"] as? Int == 60)
      #expect(entry["createdAt"] as? String == "2026-11-18T12:00:00Z")
      #expect(entry["expiresAt"] as? String == "2026-11-21T12:00:00Z")
      // The price of a request concerns only the third party and the operator.
      #expect(entry["amountDue"] == nil && entry["currency"] == nil)
      for name in ["acceptedTypes", "from", "to"] { #expect(entry[name] is NSNull, "\(name)") }
      #expect(try await stage.personList(of: Known.laura).list("requests").isEmpty)
      #expect(try await stage.companyList(of: Known.studio).list("requests").isEmpty)
    }
  }

  @Test("pages of a list stay stable while requests are added", .tags(.REQ_5))
  func pages() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      var sent: [String] = []
      for _ in 0..<7 { sent.append(try await stage.ask()) }
      stage.clock.advance(seconds: 1)
      for _ in 0..<4 { sent.append(try await stage.ask()) }
      var seen: [String] = []
      var query = "limit=3"
      for _ in 0..<10 {
        let page = try await stage.personList(query)
        seen += page.list("requests").compactMap { $0["reqID"] as? String }
        stage.clock.advance(seconds: 1)
        _ = try await stage.ask()
        guard let next = page["next"] else { break }
        query = "limit=3&cursor=\(next)"
      }
      #expect(Set(seen) == Set(sent))
      #expect(seen.count == 11)
      #expect(Set(seen.prefix(4)) == Set(sent.suffix(4)))
    }
  }

  /// The numbers of an answer, and the requests of some statuses by their index in `sent`.
  private func listed(
    _ stage: SingleRequestStage, _ sent: [String], _ status: String? = nil
  ) async throws -> String {
    let reply = try await stage.personList(status.map { "status=\($0)" } ?? "")
    try #require(reply.status == 200, "\(reply.text)")
    let found = reply.list("requests").compactMap { entry in
      sent.firstIndex { $0 == entry["reqID"] as? String }
    }
    return "\(reply.object["pending"] ?? "?") \(reply.object["followers"] ?? "?") "
      + found.sorted().map(\.description).joined()
  }

  @Test(
    "the person's list filters by status, and counts pending requests and subscribers",
    .tags(.REQ_5))
  func statuses() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      #expect(try await listed(stage, []) == "0 0 ")
      var sent = [try await stage.ask(), try await stage.ask()]
      for company in [Known.clinic, Known.clinic, Known.studio] {
        sent.append(try await stage.subscribe(seconds: 3600, by: company))
      }
      #expect(try await listed(stage, sent) == "5 0 01234")
      _ = try await stage.choose("decline", sent[0])
      for requestID in sent[2...] { _ = try await stage.choose("accept", requestID) }
      #expect(try await listed(stage, sent) == "1 2 01234")
      #expect(try await listed(stage, sent, "pending") == "1 2 1")
      #expect(try await listed(stage, sent, "accepted") == "1 2 234")
      #expect(try await listed(stage, sent, "declined,pending") == "1 2 01")
      _ = try await stage.endByPerson(sent[4])
      #expect(try await listed(stage, sent, "ended") == "1 1 4")
      // Time alone ends subscriptions and expires requests, before any worker has processed them.
      stage.clock.advance(seconds: 3599)
      #expect(try await listed(stage, sent, "accepted") == "1 1 23")
      stage.clock.advance(seconds: 1)
      #expect(try await listed(stage, sent, "accepted") == "1 0 ")
      #expect(try await listed(stage, sent, "ended") == "1 0 234")
      stage.clock.advance(seconds: 259_200 - 3601)
      #expect(try await listed(stage, sent, "pending") == "1 0 1")
      stage.clock.advance(seconds: 1)
      #expect(try await listed(stage, sent, "pending") == "0 0 ")
      #expect(try await listed(stage, sent, "expired") == "0 0 1")
      for wrong in ["waiting", "pending,", "Pending"] {
        let reply = try await stage.personList("status=\(wrong)")
        #expect((reply.status, reply.problem?.field) == (400, "status"))
      }
      #expect(try await stage.personList("status=payment%20due").list("requests").isEmpty)
    }
  }

  @Test("pages of one status are complete", .tags(.REQ_5))
  func pagesOfStatus() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      var sent: [String] = []
      for _ in 0..<6 { sent.append(try await stage.ask()) }
      for requestID in sent[..<3] { _ = try await stage.choose("decline", requestID) }
      let first = try await stage.personList("status=declined&limit=2")
      let second = try await stage.personList(
        "status=declined&limit=2&cursor=\(try first.next)")
      let found = (first.list("requests") + second.list("requests"))
        .compactMap { $0["reqID"] as? String }
      #expect(Set(found) == Set(sent[..<3]) && found.count == 3)
      #expect(second["next"] == nil)
    }
  }

  @Test("a cursor that no list has returned is refused")
  func wrongCursor() async throws {
    try await SingleRequestStage.with { stage in
      for cursor in ["x", "AAAA", "AQAAAAAAAAAA", "%C3%A8"] {
        let query = "cursor=\(cursor)"
        let replies = [
          try await stage.personList(query),
          try await stage.data("123e4567-e89b-12d3-a456-426614174000", cursor: cursor),
          try await stage.accessList(query),
        ]
        for reply in replies {
          #expect(reply.status == 400)
          #expect(reply.problem?.field == "cursor")
        }
      }
    }
  }

  @Test("accepting a part delivers that part", .tags(.R13, .R14))
  func part() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(3)
      try await stage.store(2, of: .steps)
      let requestID = try await stage.subscribe("\"heartRate\",\"steps\"", seconds: 600)
      let types = ",\"dataTypes\":[\"steps\"]"
      for (rest, field) in [
        (",\"dataTypes\":[\"weight\"]", "dataTypes"), (",\"dataTypes\":[]", "dataTypes"),
        (",\"duration\":601", "duration"), (",\"duration\":0", "duration"),
      ] {
        let refused = try await stage.choose("accept", requestID, rest)
        #expect(refused.status == 400)
        #expect(refused.problem?.field == field)
      }
      #expect(try await stage.choose("perhaps", requestID).status == 400)
      let reply = try await stage.choose("accept", requestID, types + ",\"duration\":60")
      #expect(reply.status == 200)
      #expect(reply["message"] == "Action successful")
      let entry = try await stage.companyList().list("requests")[0]
      #expect(entry["status"] as? String == "accepted")
      #expect(entry["acceptedTypes"] as? [String] == ["steps"])
      #expect(entry["endsAt"] as? String == "2026-11-18T12:01:00Z")
      let page = try await stage.data(requestID)
      #expect(page.list("samples").compactMap { $0["dataType"] as? String } == ["steps", "steps"])
      #expect(page["next"] != nil)
    }
  }

  @Test("a duration for a request without subscription is refused", .tags(.R13))
  func durationWithoutSubscription() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask()
      let refused = try await stage.choose("accept", requestID, ",\"duration\":5")
      #expect(refused.status == 400)
      #expect(try await stage.status(requestID) == "pending")
    }
  }

  @Test("only the person asked can answer, and only once", .tags(.R12, .R13))
  func once() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask()
      let stranger = try await stage.choose("accept", requestID, by: Known.laura)
      #expect(stranger.status == 403)
      #expect(stranger["error"] == "Wrong parameters")
      #expect(try await stage.choose("decline", requestID).status == 200)
      let again = try await stage.choose("accept", requestID)
      #expect(again.status == 403)
      #expect(again.text == stranger.text)
      #expect(try await stage.status(requestID) == "declined")
      #expect(try await stage.data(requestID).status == 409)
    }
  }

  @Test("an answer with an Idempotency-Key takes effect once", .tags(.R13))
  func idempotent() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask()
      for _ in 0..<2 {
        let reply = try await stage.call(
          .answerRequest, "{\"reqID\":\"\(requestID)\",\"choice\":\"accept\"}", by: Known.mario,
          .singleUser, fields: [("idempotency-key", "one")])
        #expect(reply.status == 200, "\(reply.problem?.cause ?? "")")
      }
      #expect(try stage.cell("SELECT count(*) FROM data4help.third_party_log") == "2")
    }
  }

  @Test("accepting when no such data is left ends the request", .tags(.R22))
  func noData() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask()
      try stage.run("UPDATE data4help.sample_accounts SET stored_types = 0")
      #expect(try await stage.choose("accept", requestID).status == 200)
      let entry = try await stage.companyList().list("requests")[0]
      #expect(entry["status"] as? String == "ended")
      #expect(entry["reason"] as? String == "no data")
      #expect(try await stage.data(requestID).status == 409)
    }
  }

  @Test("a request expires at its time, neither before nor later", .tags(.REQ_1))
  func expiry() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let first = try await stage.ask()
      let second = try await stage.ask()
      stage.clock.advance(seconds: 259_199)
      #expect(try await stage.workers.expire() == 0)
      #expect(try await stage.choose("accept", first).status == 200)
      stage.clock.advance(seconds: 1)
      // Whether or not the worker has processed it.
      #expect(try await stage.status(second) == "expired")
      #expect(try await stage.choose("accept", second).status == 403)
      #expect(try await stage.workers.expire() == 1)
      #expect(try await stage.workers.expire() == 0)
      #expect(try await stage.status(second) == "expired")
      #expect(try await stage.status(first) == "accepted")
      #expect(try await stage.data(second).status == 409)
    }
  }

  @Test("only the two sides can end a request, and only an active one", .tags(.R21))
  func ending() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.subscribe()
      #expect(try await stage.endByCompany(requestID).status == 409)
      #expect(try await stage.endByPerson(requestID)["error"] == "Wrong state")
      _ = try await stage.choose("accept", requestID)
      #expect(try await stage.endByCompany(requestID, by: Known.studio).status == 404)
      #expect(try await stage.endByPerson(requestID, by: Known.laura).status == 404)
      #expect(try await stage.endByCompany(requestID).status == 200)
      #expect(try await stage.endByPerson(requestID).status == 409)
      let entry = try await stage.personList().list("requests")[0]
      #expect(entry["status"] as? String == "ended")
      #expect(entry["reason"] as? String == "ended by the third party")
    }
  }
}
