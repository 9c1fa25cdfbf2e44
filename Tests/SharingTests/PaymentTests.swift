import Cryptography
import Data4HelpFixture
import Domain
import Foundation
import HTTP
import Operations
import Payments
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Support
import Synchronization
import Testing
import Time

@Suite("Payments")
struct PaymentTests {
  private static let signature = PaymentSignature(secret: SecretBytes(utf8: "whsec_of_the_tests"))

  private static func terms(_ broker: TestBroker) -> PaymentTerms {
    PaymentTerms(
      prices: RequestPrices(single: 500, group: 900, subscription: 700), broker: broker,
      signature: signature, returnURL: "https://trackme.test")
  }

  private func with(
    log: Log = .none,
    _ body: @escaping @Sendable (SingleRequestStage, TestBroker) async throws -> Void
  ) async throws {
    let broker = TestBroker()
    try await SingleRequestStage.with(payments: Self.terms(broker), log: log) { stage in
      try await stage.populate()
      try await stage.store(3)
      try await body(stage, broker)
    }
  }

  @Test("the price of a request is shown before it is sent, and no other data", .tags(.REQ_7))
  func price() async throws {
    try await with { stage, _ in
      func price(_ body: String) async throws -> Reply {
        try await stage.call(.priceOfRequest, "{\(body)}", by: Known.clinic, .thirdParty)
      }
      let types = "\"dataTypes\":[\"heartRate\"]"
      let (once, subscribing) = (
        "\"subscribing\":false,\(types)", "\"subscribing\":true,\"duration\":60,\(types)"
      )
      // The same for an email without an account.
      let (person, group) = ("\"email\":\"nobody@example.org\"", "\"searchParams\":[\"age>=18\"]")
      for (body, kind, amount) in [
        ("\(person),\(once)", "single", 500), ("\(person),\(subscribing)", "single", 700),
        ("\(group),\(once)", "group", 900), ("\(group),\(subscribing)", "group", 700),
      ] {
        let reply = try await price(body)
        #expect(reply["kind"] == kind, "\(reply.text)")
        #expect(reply.object["amountDue"] as? Int == amount)
        #expect(reply["currency"] == "EUR")
      }
      for (body, field) in [
        (once, "email"), ("\(person),\"subscribing\":true,\(types)", "duration"),
        ("\"searchParams\":[\"shoe=44\"],\(once)", "searchParams[0]"),
        ("\"searchParams\":[],\(once)", "searchParams"),
      ] {
        let reply = try await price(body)
        #expect((reply.status, reply.problem?.field) == (400, field), "\(body)")
      }
      #expect(try stage.cell("SELECT count(*) FROM data4help.single_requests") == "0")
      #expect(try stage.cell("SELECT count(*) FROM data4help.group_requests") == "0")
    }
    try await SingleRequestStage.with { stage in
      let reply = try await stage.call(
        .priceOfRequest,
        "{\"fc\":\"\(Known.marioCode)\",\"subscribing\":false,\"dataTypes\":[\"steps\"]}",
        by: Known.clinic, .thirdParty)
      #expect(reply.object["amountDue"] as? Int == 0, "\(reply.text)")
    }
  }

  @Test("the person sees that a payment is due, but not the amount", .tags(.REQ_7))
  func personSeesNoPrice() async throws {
    try await with { stage, _ in
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      let reply = try await stage.personList("status=payment%20due")
      #expect(reply.list("requests").map { $0["reqID"] as? String } == [requestID])
      for word in ["500", "amount", "EUR"] { #expect(!reply.text.contains(word)) }
      #expect(try await stage.due(requestID) == ["payment due", "500", "EUR"])
    }
  }

  @Test(
    "an accepted request is delivered on no channel before payment, then on all",
    .tags(.REQ_7, .REQ_8))
  func paid() async throws {
    try await with { stage, broker in
      let requestID = try await stage.subscribe()
      #expect(try await stage.pay(requestID).status == 409)
      _ = try await stage.choose("accept", requestID)
      #expect(try await stage.due(requestID) == ["payment due", "700", "EUR"])
      try await stage.store(1, minutesAgo: 1)
      try await stage.here { _ = try await stage.workers.relay() }
      for format in ["json", "csv", "ndjson", "fhir"] {
        let refused = try await stage.data(requestID, format: format)
        #expect((refused.status, refused["error"]) == (402, "Payment due"))
        #expect(refused["detail"]?.contains("700 cents (EUR)") == true)
      }
      let mail = try await stage.call(
        .mailData, "{\"reqID\":\"\(requestID)\",\"format\":\"csv\"}", by: Known.clinic, .thirdParty)
      #expect(mail.status == 402)
      #expect(try await stage.types() == ["request.answered"])
      #expect(try await stage.payments() == ["due 700 -"])
      let page = try await stage.pay(requestID)
      #expect(page["checkoutURL"] == "https://broker.test/\(requestID)-1")
      #expect(broker.orders.withLock { $0.map(\.amount) } == [700])
      #expect(try await stage.confirm(requestID, 700).status == 200)
      #expect(try await stage.due(requestID) == ["accepted", "0", "EUR"])
      try await stage.here { _ = try await stage.workers.relay() }
      #expect(try await stage.data(requestID).numbers.count == 4)
      let types = try await stage.types()
      #expect(types.filter { $0 == "request.answered" }.count == 2)
      #expect(types.filter { $0 == "data.created" }.count >= 2)
      #expect(try await stage.payments() == ["paid 700 2026-11-18T12:00:00Z"])
      #expect(try await stage.pay(requestID).status == 409)
    }
  }

  @Test(
    "callbacks, streams and reads deliver nothing before payment, and everything after it",
    .tags(.REQ_7))
  func ways() async throws {
    try await CallbackReceiver.with { endpoint in
      try await with { stage, _ in
        #expect(try await stage.register(endpoint).status == 200)
        let requestID = try await stage.subscribe()
        _ = try await stage.choose("accept", requestID)
        let stream = try await stage.open(
          .thirdPartyStream, by: Known.clinic, .thirdParty, after: 0)
        try await stage.store(1, minutesAgo: 1)
        try await stage.deliver()
        _ = try await endpoint.calls(1)
        #expect(endpoint.calls.map(\.type) == ["request.answered"])
        #expect(try await stream.events(1).map(\.name) == ["answer"])
        #expect(try await stage.types() == ["request.answered"])
        #expect(try await stage.confirm(requestID, 700).status == 200)
        try await stage.deliver()
        try await stage.store(1, minutesAgo: 0)
        try await stage.deliver()
        let types = try await stage.types()
        let count = types.count { $0 == "data.created" }
        #expect(count >= 2)
        let calls = try await endpoint.calls(types.count)
        #expect(calls.map(\.type) == types)
        let events = try await stream.events(types.count)
        #expect(events.count { $0.name == "data" } == count)
        stream.close()
      }
    }
  }

  @Test("a wrong or old confirmation, or one of another amount, delivers nothing", .tags(.REQ_7))
  func wrong() async throws {
    try await with { stage, _ in
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      let body = stage.confirmation(requestID, 500)
      let now = stage.clock.now
      let right = Self.signature.header(of: Array(body.utf8).span, at: now)
      let other = PaymentSignature(secret: SecretBytes(utf8: "another"))
      let forged = other.header(of: Array(body.utf8).span, at: now)
      let old = Self.signature.header(of: Array(body.utf8).span, at: now - Duration.seconds(301))
      let early = Self.signature.header(of: Array(body.utf8).span, at: now + Duration.seconds(301))
      for header in [nil, "", "v1=00", "t=1", forged, old, early, right + "0", "x" + right] {
        #expect(try await stage.confirm(body, header).status == 400, "\(header ?? "none")")
      }
      #expect(try await stage.confirm(body + " ", right).status == 400)
      for (amount, currency) in [(499, "eur"), (501, "eur"), (500, "usd"), (5, "eur")] {
        #expect(try await stage.confirm(requestID, amount, currency).status == 409)
      }
      #expect(try await stage.confirm("6d1f0e6c-0e6b-4b0e-9f3e-1d2c3b4a5968", 500).status == 404)
      // An unpaid order, and a confirmation about something else, change nothing.
      #expect(try await stage.confirm(requestID, 500, paid: "unpaid").status == 200)
      #expect(try await stage.confirm(requestID, 500, type: "customer.created").status == 200)
      #expect(try await stage.due(requestID) == ["payment due", "500", "EUR"])
      #expect(try await stage.data(requestID).status == 402)
      let late = Self.signature.header(of: Array(body.utf8).span, at: now - Duration.seconds(300))
      #expect(try await stage.confirm(body, late).status == 200)
      #expect(try await stage.data(requestID).numbers.count == 3)
    }
  }

  @Test(
    "one of sixteen concurrent confirmations counts, and a replay changes nothing", .tags(.REQ_7))
  func once() async throws {
    try await with { stage, _ in
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<16 {
          group.addTask { try await stage.confirm(requestID, 500).status }
        }
        for try await status in group { #expect(status == 200) }
      }
      #expect(try await stage.data(requestID).numbers.count == 3)
      stage.clock.advance(seconds: 5)
      #expect(try await stage.confirm(requestID, 500).status == 200)
      let entries = try stage.cell("SELECT count(*) FROM data4help.third_party_log WHERE kind = 1")
      #expect(entries == "1")
      #expect(try await stage.payments() == ["paid 500 2026-11-18T12:00:00Z"])
    }
  }

  @Test("a payment without a request is reported to the operator, a replay is not", .tags(.REQ_7))
  func paidForNothing() async throws {
    let recorder = LogRecorder()
    try await with(log: Log(process: "test", sink: recorder.sink)) { stage, _ in
      func lines(_ message: String, _ requestID: String) -> Int {
        recorder.lines.count { $0.contains(message) && $0.contains(requestID) }
      }
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      _ = try await stage.pay(requestID)
      #expect(try await stage.confirm(requestID, 499).status == 409)
      #expect(lines("another amount or currency was due", requestID) == 1)
      // Paid on a page that is not the newest one.
      for _ in 0..<2 {
        #expect(try await stage.confirm(requestID, 500, session: "cs_0").status == 200)
      }
      #expect(lines("paid on another page before", requestID) == 0)
      #expect(try await stage.confirm(requestID, 500, session: "cs_1").status == 200)
      #expect(lines("paid on another page before", requestID) == 1)
      let over = try await stage.ask()
      _ = try await stage.choose("accept", over)
      #expect(try await stage.endByPerson(over).status == 200)
      #expect(try await stage.confirm(over, 500).status == 200)
      #expect(lines("the request is over", over) == 1)
    }
  }

  @Test("a payment for an ended request is recorded, and delivers nothing", .tags(.REQ_7))
  func over() async throws {
    try await with { stage, _ in
      let ended = try await stage.ask()
      _ = try await stage.choose("accept", ended)
      #expect(try await stage.endByPerson(ended).status == 200)
      #expect(try await stage.payments() == ["dropped 500 -"])
      #expect(try await stage.pay(ended).status == 409)
      #expect(try await stage.confirm(ended, 500).status == 200)
      #expect(try await stage.data(ended).status == 409)
      #expect(try await stage.payments() == ["paid 500 2026-11-18T12:00:00Z"])
      let declined = try await stage.ask()
      _ = try await stage.choose("decline", declined)
      #expect(try await stage.pay(declined).status == 409)
      #expect(try await stage.confirm(declined, 500).status == 404)
    }
  }

  @Test(
    "a request that ended unpaid delivers nothing and reports it, even if paid later",
    .tags(.REQ_7))
  func endedUnpaid() async throws {
    try await with { stage, _ in
      let ended = try await stage.ask()
      _ = try await stage.choose("accept", ended)
      #expect(try await stage.endByCompany(ended).status == 200)
      try await stage.expectEndedUnpaid(ended)
      let over = try await stage.subscribe()
      _ = try await stage.choose("accept", over)
      stage.clock.advance(seconds: 3_600)
      try await stage.expectEndedUnpaid(over)
      try await stage.here { _ = try await stage.workers.relay() }
      try await stage.expectEndedUnpaid(over)
      #expect(try await stage.confirm(ended, 500).status == 200)
      try await stage.expectEndedUnpaid(ended)
    }
  }

  @Test("paid data stays downloadable after the end of the request", .tags(.REQ_7, .R21))
  func endedPaid() async throws {
    try await with { stage, _ in
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      #expect(try await stage.confirm(requestID, 500).status == 200)
      #expect(try await stage.endByCompany(requestID).status == 200)
      #expect(try await stage.data(requestID).numbers.count == 3)
    }
  }

  @Test("an unavailable or refusing broker leaves nothing half done", .tags(.REQ_7))
  func unavailable() async throws {
    try await with { stage, broker in
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      broker.error.withLock { $0 = .unavailable }
      let away = try await stage.pay(requestID)
      #expect(away.status == 503)
      #expect(away.fields["retry-after"] != nil)
      broker.error.withLock { $0 = .refused(402) }
      #expect(try await stage.pay(requestID).status == 502)
      broker.error.withLock { $0 = nil }
      #expect(try await stage.pay(requestID).status == 200)
      // For the broker the attempts were one order; a day later it is a new one.
      _ = try await stage.pay(requestID)
      #expect(Set(broker.orders.withLock { $0.map(\.attempt) }) == ["\(requestID)-1"])
      stage.clock.advance(seconds: 24 * 3600)
      _ = try await stage.pay(requestID)
      #expect(broker.orders.withLock { $0.last?.attempt } == "\(requestID)-2")
      #expect(try await stage.pay(requestID, by: Known.studio).status == 404)
    }
  }

  @Test("the page of a replaced broker is never returned", .tags(.REQ_7))
  func anotherBroker() async throws {
    try await with { stage, _ in
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      #expect(try await stage.pay(requestID)["checkoutURL"]?.hasSuffix("\(requestID)-1") == true)
      let broker = TestBroker(name: "https://another.test")
      var installation = stage.installation
      installation.payments = Self.terms(broker)
      try await SingleRequestStage.replica(of: installation) { later in
        let pages = [try await later.pay(requestID), try await later.pay(requestID)]
        #expect(pages.allSatisfy { $0["checkoutURL"] == "\(broker.name)/\(requestID)-2" })
        #expect(broker.orders.withLock { $0.map(\.attempt) } == ["\(requestID)-2"])
      }
    }
  }

  @Test(
    "without a broker, requests awaiting payment are delivered for free",
    .tags(.REQ_7, .REQ_8))
  func withoutBroker() async throws {
    try await with { stage, _ in
      try await stage.addPeople(0..<1_001)
      let single = try await stage.ask()
      _ = try await stage.choose("accept", single)
      let group = try #require(try await stage.askGroup()["reqID"])
      let ended = try await stage.ask()
      _ = try await stage.choose("accept", ended)
      #expect(try await stage.pay(single).status == 200)
      #expect(try await stage.endByPerson(ended).status == 200)
      var installation = stage.installation
      installation.payments = .none
      try await SingleRequestStage.replica(of: installation) { later in
        let stranger = try await later.pay(single, by: Known.studio)
        #expect((stranger.status, try await later.data(single).status) == (404, 402))
        for requestID in [single, group, ended, single, group] {
          #expect(try await later.pay(requestID).status == 409)
        }
        #expect(try await later.data(group).status == 200)
        #expect(try await later.data(ended).status == 409)
        #expect(try await later.payments() == ["dropped 500 -"])
        let due = [try await later.due(single), try await later.due(group)]
        #expect(due == [["accepted", "0", "EUR"], ["approved", "0", "EUR"]])
        #expect(try await later.endByCompany(single).status == 200)
        #expect(try await later.data(single).numbers.count == 3)
      }
    }
  }

  @Test("a group is counted, and released after payment", .tags(.REQ_7))
  func groups() async throws {
    try await with { stage, _ in
      try await stage.addPeople(0..<1_001)
      let asked = try await stage.askGroup()
      #expect(asked["status"] == "payment due")
      let requestID = try #require(asked["reqID"])
      #expect(try await stage.due(requestID) == ["payment due", "900", "EUR"])
      #expect(try await stage.data(requestID).status == 402)
      #expect(try await stage.data(requestID, format: "csv").status == 402)
      #expect(try await stage.pay(requestID).status == 200)
      #expect(try await stage.confirm(requestID, 900).status == 200)
      #expect(try await stage.due(requestID) == ["approved", "0", "EUR"])
      #expect(try await stage.data(requestID).status == 200)
      // A refused request costs nothing.
      let refused = try await stage.askGroup("\"age>=90\"")
      #expect(refused["status"] == "refused")
      #expect(try await stage.payments() == ["paid 900 2026-11-18T12:00:00Z"])
    }
  }

  @Test("without a price nothing is due", .tags(.REQ_7))
  func free() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      #expect(try await stage.due(requestID) == ["accepted", "0", "EUR"])
      #expect(try await stage.pay(requestID).status == 409)
      #expect(try await stage.payments().isEmpty)
      #expect(try await stage.confirm(requestID, 500).status == 400)
    }
  }
}
