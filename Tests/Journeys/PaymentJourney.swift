import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("Payments, through the gateway and a hosted checkout")
struct PaymentJourney {
  @Test(
    "a priced request is delivered after its payment, and both sides are recorded",
    .tags(.REQ_7, .REQ_8), .timeLimit(.minutes(5)))
  func paid() async throws {
    let directory = FileManager.default.temporaryDirectory.path + "/tmpay-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try Data("sk_test_key\n".utf8).write(to: URL(filePath: directory + "/key"))
    try Data("whsec_signing\n".utf8).write(to: URL(filePath: directory + "/signing"))
    let port = try FreePorts.take()
    let system = try await TestSystem([
      "TRACKME_PRICE_SINGLE": "1250", "TRACKME_PAYMENT_URL": "http://127.0.0.1:\(port)",
      "TRACKME_PAYMENT_KEY_FILE": directory + "/key",
      "TRACKME_PAYMENT_SIGNING_FILE": directory + "/signing",
    ])
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let asked: JSONValue = [
      "email": .text(user.person.email), "dataTypes": ["heartRate"], "subscribing": false,
    ]
    let price = try await party.post("/req/tp/price", asked)
    #expect(price.json == ["kind": "single", "amountDue": 1250, "currency": "EUR"])
    let group: JSONValue = [
      "searchParams": ["age>=18"], "dataTypes": ["heartRate"], "subscribing": false,
    ]
    let free = try await party.post("/req/tp/price", group)
    #expect(free.json == ["kind": "group", "amountDue": 0, "currency": "EUR"])
    #expect(try await party.get("/req/tp/list").json.requests.count == 0)
    let request = try await party.ask(user, for: ["heartRate"])
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
    let row = try await party.row(request)
    #expect((row.status, row.amountDue, row.currency) == ("payment due", 1250, "EUR"))
    // The person does not see the company's payment.
    let shown = try await user.get("/req/single/list?status=payment%20due")
    #expect(shown.json.requests.items.map(\.reqID.text) == [request])
    #expect(!shown.text.contains("1250") && !shown.text.contains("amountDue"))
    let refused = try await party.get("/req/tp/data?reqID=\(request)&format=csv")
    #expect(refused.outcome == Outcome(402, "Payment due"))
    let order: JSONValue = ["reqID": .text(request)]
    // The broker is not running yet.
    let away = try await party.post("/req/tp/pay", order)
    #expect(away.outcome == Outcome(503, "Unavailable"))
    let process = try await Program(command: [
      TestSystem.python, Self.script, "\(port)", "http://127.0.0.1:\(system.httpPort)",
      "sk_test_key", "whsec_signing",
    ]).serve(output: directory + "/log")
    defer { kill(process, SIGKILL) }
    let page = try await eventually("the page of the broker") {
      try await party.post("/req/tp/pay", order).json.checkoutURL.text
    }
    #expect(try await party.get("/req/tp/payments").json.payments[0].status == "due")
    let wrong = try await party.client.send(
      .post, "/pay/confirm", body: Array(#"{"type":"x","data":{"object":{}}}"#.utf8),
      mediaType: "application/json", fields: [("stripe-signature", "t=1,v1=00")])
    #expect(wrong.outcome == .malformed)
    let paying = try await Program(command: ["curl", "--silent", page]).run()
    // The confirmation and its replay.
    #expect(paying.output.contains("[200, 200]"), "\(paying.output)")
    let data = try await party.get("/req/tp/data?reqID=\(request)")
    #expect(data.json.samples.count == 1)
    let payment = try await party.get("/req/tp/payments").json.payments[0]
    #expect((payment.reqID.text, payment.amount, payment.status) == (request, 1250, "paid"))
    #expect(try await party.row(request).status == "accepted")
    #expect(try await party.post("/req/tp/pay", order).outcome == Outcome(409, "Wrong state"))
    await system.stop()
  }

  @Test(
    "a price without a broker is paid at the local one; declining and forging deliver nothing",
    .tags(.REQ_7), .timeLimit(.minutes(5)))
  func local() async throws {
    let system = try await TestSystem(["TRACKME_PRICE_SUBSCRIPTION": "700"])
    let (user, party) = (try await system.singleUser(), try await system.thirdParty())
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let request = try await party.ask(user, for: ["heartRate"], subscribing: 3600)
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
    try await user.upload("heartRate", [("2024-01-15T11:00:00Z", 62)])
    let order: JSONValue = ["reqID": .text(request)]
    let page = try #require(try await party.post("/req/tp/pay", order).json.checkoutURL.text)
    let shown = try await system.run("curl", "--silent", page).output
    #expect(shown.contains("7.00 EUR due") && shown.contains("nobody is charged"))
    let declined = try await system.run("curl", "--silent", "--data", "choice=decline", page)
    #expect(declined.output.contains("<h1>Declined</h1>"), "\(declined.output)")
    for wrong in [page + "0", page.replacing("/pay/", with: "/pay/e30.")] {
      let forged = try await system.run(
        "curl", "--silent", "--write-out", "%{http_code}", "--data", "choice=pay", wrong)
      #expect(forged.output.hasSuffix("404"))
    }
    #expect(try await party.row(request).status == "payment due")
    let silent = try await party.get("/req/tp/events?since=0").json.events.items
    #expect(silent.compactMap(\.type.text) == ["request.answered"])
    #expect(try await party.get("/req/tp/data?reqID=\(request)").status == 402)
    // The page survives a restart of the broker; a second payment counts once.
    let former = try system.member("broker").process.int
    try system.crash("broker")
    try await system.waitUntilReplaced("broker", former)
    for _ in 0..<2 {
      let paid = try await system.run("curl", "--silent", "--data", "choice=pay", page)
      #expect(paid.output.contains("<h1>Paid</h1>"), "\(paid.output)")
    }
    #expect(try await party.get("/req/tp/payments").json.payments.items.map(\.status) == ["paid"])
    // The second sample arrived after the acceptance and is delivered like new data within a
    // second.
    _ = try await eventually("both samples") {
      let data = try await party.get("/req/tp/data?reqID=\(request)")
      return data.json.samples.count == 2 ? true : nil
    }
    _ = try await eventually("the samples in the sequence") {
      let events = try await party.get("/req/tp/events?since=0").json.events.items
      return events.contains { $0.type == "data.created" } ? true : nil
    }
    await system.stop()
  }

  private static let script =
    URL(filePath: #filePath).deletingLastPathComponent().path + "/broker.py"
}
