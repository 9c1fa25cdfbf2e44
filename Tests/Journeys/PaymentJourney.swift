import Foundation
import HTTP
import Requirements
import Testing

@Suite("Payments, through the gateway and a hosted checkout")
struct PaymentJourney {
  @Test(
    "a priced request is delivered once its page was paid, and both sides of it are on record",
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
    let request = try await party.ask(user, for: ["heartRate"])
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
    let row = try await party.row(request)
    #expect((row.status, row.amountDue, row.currency) == ("payment due", 1250, "EUR"))
    let refused = try await party.get("/req/tp/data?reqID=\(request)&format=csv")
    #expect(refused.outcome == Outcome(402, "Payment due"))
    let order: JSONValue = ["reqID": .text(request)]
    // The broker is not there yet.
    let away = try await party.post("/req/tp/pay", order)
    #expect(away.outcome == Outcome(503, "Unavailable"))
    let process = try Program(command: [
      TestSystem.python, Self.script, "\(port)", "http://127.0.0.1:\(system.httpPort)",
      "sk_test_key", "whsec_signing",
    ]).start(output: directory + "/log")
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
    // The confirmation, and its replay.
    #expect(paying.output.contains("[200, 200]"), "\(paying.output)")
    let data = try await party.get("/req/tp/data?reqID=\(request)")
    #expect(data.json.samples.count == 1)
    let payment = try await party.get("/req/tp/payments").json.payments[0]
    #expect((payment.reqID.text, payment.amount, payment.status) == (request, 1250, "paid"))
    #expect(try await party.row(request).status == "accepted")
    #expect(try await party.post("/req/tp/pay", order).outcome == Outcome(409, "Wrong state"))
    await system.stop()
  }

  private static let script =
    URL(filePath: #filePath).deletingLastPathComponent().path + "/broker.py"
}
