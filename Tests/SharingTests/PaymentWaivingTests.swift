import Data4HelpFixture
import Domain
import Payments
import PublicAPI
import Requirements
import Sharing
import Testing

@Suite("Payments without a broker")
struct PaymentWaivingTests {
  @Test("a request that expired unpaid is not reported as delivered", .tags(.REQ_7))
  func ranOut() async throws {
    let terms = PaymentTerms(
      prices: RequestPrices(single: 500, group: 900, subscription: 700), broker: ClosedBroker(),
      signature: nil, returnURL: "https://trackme.test")
    try await SingleRequestStage.with(payments: terms) { stage in
      try await stage.populate()
      try await stage.store(3)
      try await stage.addPeople(0..<1_001)
      let single = try await stage.subscribe()
      _ = try await stage.choose("accept", single)
      let group = try #require(
        try await stage.askGroup(subscribing: "\"subscribing\":true,\"duration\":129600")["reqID"])
      var installation = stage.installation
      installation.payments = .none
      try await SingleRequestStage.replica(of: installation) { later in
        later.clock.advance(seconds: 3 * 86_400)
        for requestID in [single, group] {
          let reply = try await later.call(
            .payRequest, "{\"reqID\":\"\(requestID)\"}", by: Known.clinic, .thirdParty)
          #expect(reply.status == 409)
          #expect(reply["detail"] == "Nothing is due for the request.")
          #expect(try await later.data(requestID).status != 200)
        }
      }
    }
  }
}

/// A broker that opens no pages.
private struct ClosedBroker: PaymentBroker {
  let name = "https://broker.test"

  func open(_ order: CheckoutOrder) async throws(PaymentBrokerError) -> Checkout {
    throw .unavailable
  }
}
