import Cryptography
import Domain
import EventLoop
import Foundation
import Payments
import PublicAPI
import Sharing
import Support
import Synchronization
import Testing

/// Payments in the stage of single requests.
extension SingleRequestStage {
  package func pay(
    _ requestID: String, by company: AccountID = Known.clinic
  ) async throws -> Reply {
    try await call(.payRequest, "{\"reqID\":\"\(requestID)\"}", by: company, .thirdParty)
  }

  package func confirmation(
    _ requestID: String, _ amount: Int, _ currency: String = "eur", paid: String = "paid",
    type: String = "checkout.session.completed", session: String = "cs_1"
  ) -> String {
    """
    {"id":"evt_1","object":"event","data":{"object":{"id":"\(session)","amount_total":\(amount),
    "client_reference_id":"\(requestID)","currency":"\(currency)","customer":null,
    "payment_status":"\(paid)"}},"type":"\(type)"}
    """
  }

  package func confirm(
    _ requestID: String, _ amount: Int, _ currency: String = "eur", paid: String = "paid",
    type: String = "checkout.session.completed", session: String = "cs_1"
  ) async throws -> Reply {
    let body = confirmation(
      requestID, amount, currency, paid: paid, type: type, session: session)
    let signature = PaymentSignature(secret: SecretBytes(utf8: "whsec_of_the_tests"))
    return try await confirm(body, signature.header(of: Array(body.utf8).span, at: clock.now))
  }

  package func confirm(
    _ body: String, _ header: String?
  ) async throws -> Reply {
    try await call(
      .confirmPayment, body, by: Known.clinic, .thirdParty,
      fields: header.map { [("stripe-signature", $0)] } ?? [])
  }

  /// The status, the amount due and the currency of a request in the list.
  package func due(_ requestID: String) async throws -> [String] {
    let rows = try await companyList().list("requests")
    let row = rows.first { $0["reqID"] as? String == requestID } ?? [:]
    return ["status", "amountDue", "currency"].map { row[$0].map { "\($0)" } ?? "?" }
  }

  /// Relays stored data, and calls third parties with undelivered events.
  package func deliver() async throws {
    try await here { _ = try await self.workers.relay() }
    _ = try await callOnce()
    try await here { await self.callbacks.value.settle() }
  }

  package func payments() async throws -> [String] {
    try await call(.payments, by: Known.clinic, .thirdParty).list("payments").map {
      "\($0["status"] ?? "?") \($0["amount"] ?? "?") \($0["paidAt"] as? String ?? "-")"
    }
  }

  package func expectEndedUnpaid(_ requestID: String) async throws {
    #expect(try await pay(requestID).status == 409)
    for format in ["json", "csv", "ndjson", "fhir"] {
      let body = "{\"reqID\":\"\(requestID)\",\"format\":\"\(format)\"}"
      for reply in [
        try await data(requestID, format: format),
        try await call(.mailData, body, by: Known.clinic, .thirdParty),
      ] {
        #expect(reply.status == 409, "\(format)")
        #expect(reply["detail"] == "The request ended before it was paid.")
      }
    }
  }

  /// The types of the events of the third party's sequence.
  package func types() async throws -> [String] {
    try await call(.thirdPartyEvents, by: Known.clinic, .thirdParty).list("events")
      .compactMap { $0["type"] as? String }
  }
}

/// A fake broker whose pages are only names.
package final class TestBroker: PaymentBroker {
  package let name: String
  package let orders = Mutex<[CheckoutOrder]>([])
  package let error = Mutex<PaymentBrokerError?>(nil)

  package init(name: String = "https://broker.test") { self.name = name }

  package func open(_ order: CheckoutOrder) async throws(PaymentBrokerError) -> Checkout {
    orders.withLock { $0.append(order) }
    if let error = error.withLock({ $0 }) { throw error }
    return Checkout(id: "cs_1", url: "\(name)/\(order.attempt)")
  }
}
