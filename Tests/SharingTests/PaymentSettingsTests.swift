import Domain
import Foundation
import Operations
import Payments
import Requirements
import Sharing
import Testing

@Suite("Payment settings")
struct PaymentSettingsTests {
  private static let price = ["TRACKME_PRICE_GROUP": "100"]

  private func terms(_ variables: [String: String]) throws -> PaymentTerms {
    let (settings, _) = try Settings.load(
      arguments: [], environment: variables, readFile: { _ in nil })
    return try PaymentTerms(try PaymentSettings(settings), returnURL: "https://trackme.test")
  }

  private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.path + "/tmsecret-\(UUID().uuidString)"
    try Data(text.utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  private static func real(_ path: String) -> [String: String] {
    price.merging([
      "TRACKME_PAYMENT_URL": "https://api.stripe.test", "TRACKME_PAYMENT_KEY_FILE": path,
      "TRACKME_PAYMENT_SIGNING_FILE": path,
    ]) { $1 }
  }

  @Test("with no price there is no broker, and with a price and a real one there is", .tags(.REQ_7))
  func accepted() throws {
    #expect(try terms([:]).broker == nil)
    try withFile("whsec_1\n") { path in
      let terms = try terms(Self.real(path))
      #expect(terms.broker != nil)
      #expect(terms.prices.group == 100)
    }
  }

  @Test("another merchant account at the same address is another broker", .tags(.REQ_7))
  func accounts() throws {
    var names: [String] = []
    for key in ["sk_test_1", "sk_live_1", "sk_test_1"] {
      try withFile(key) { names.append(try #require(try terms(Self.real($0)).broker?.name)) }
    }
    #expect(names[0] != names[1] && names[0] == names[2])
    #expect(names.allSatisfy { $0.hasPrefix("https://api.stripe.test#") && !$0.contains("sk_") })
  }

  @Test("a price without a broker, or with an invalid one, starts no service", .tags(.REQ_7))
  func missingBroker() {
    #expect(throws: StartError.self) { try terms(Self.price) }
    #expect(throws: StartError.self) {
      try terms(Self.price.merging(["TRACKME_PAYMENT_URL": "play"]) { $1 })
    }
    #expect(throws: SettingsError.self) { try terms(["TRACKME_PAYMENT_URL": "plays"]) }
  }

  @Test(
    "a file of a broker that is not named is refused, with or without a price", .tags(.REQ_7),
    arguments: ["TRACKME_PAYMENT_KEY_FILE", "TRACKME_PAYMENT_SIGNING_FILE"])
  func loneFiles(_ name: String) {
    #expect(throws: StartError.self) { try terms([name: "/tmp/key"]) }
    #expect(throws: StartError.self) { try terms(Self.price.merging([name: "/tmp/key"]) { $1 }) }
  }

  @Test("an empty secret is refused", .tags(.REQ_7), arguments: ["", "\n", " key"])
  func emptySecret(_ text: String) throws {
    try withFile(text) { path in
      #expect(throws: StartError.self) { try terms(Self.real(path)) }
    }
  }
}
