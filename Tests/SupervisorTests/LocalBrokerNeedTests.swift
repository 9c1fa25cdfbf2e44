import Installation
import Operations
import OperatorTool
import Requirements
import Testing

@Suite("When a local broker is needed")
struct LocalBrokerNeedTests {
  private static let price = ["TRACKME_PRICE_SINGLE": "1250"]

  private func isNeeded(_ variables: [String: String]) throws -> Bool {
    let (settings, _) = try Settings.load(
      arguments: [], environment: variables, readFile: { _ in nil })
    return try LocalBroker.isNeeded(settings)
  }

  @Test(
    "a price without a broker uses test payments if the public URL is on this machine",
    .tags(.REQ_7),
    arguments: [
      nil, "https://localhost:8443", "http://LOCALHOST", "http://127.0.0.1:8080",
      "https://127.9.9.9", "https://[::1]:8443",
    ])
  func here(_ publicURL: String?) throws {
    let variables = publicURL.map { ["TRACKME_PUBLIC_URL": $0] } ?? [:]
    #expect(try isNeeded(variables.merging(Self.price) { $1 }))
    #expect(try !isNeeded(variables))
  }

  @Test(
    "under any other public URL no broker starts, unless test payments are requested",
    .tags(.REQ_7),
    arguments: [
      "https://trackme.example", "https://localhost.trackme.example",
      "https://127.0.0.1.trackme.example", "https://localhost@trackme.example",
      "http://10.0.0.1", "https://[2001:db8::1]", "http://0.0.0.0:8080", "https://[::2]",
    ])
  func elsewhere(_ publicURL: String) throws {
    var variables = Self.price.merging(["TRACKME_PUBLIC_URL": publicURL]) { $1 }
    #expect(throws: StartError.self) { try isNeeded(variables) }
    variables["TRACKME_PAYMENT_URL"] = "play"
    #expect(try isNeeded(variables))
    variables["TRACKME_PAYMENT_URL"] = "https://api.stripe.test"
    #expect(try !isNeeded(variables))
  }

  @Test(
    "a real broker's file without its address starts nothing, on this machine or elsewhere",
    .tags(.REQ_7),
    arguments: ["TRACKME_PAYMENT_KEY_FILE", "TRACKME_PAYMENT_SIGNING_FILE"])
  func loneFiles(_ name: String) throws {
    var variables = Self.price.merging([name: "/tmp/key"]) { $1 }
    #expect(throws: StartError.self) { try isNeeded(variables) }
    variables["TRACKME_PAYMENT_URL"] = "play"
    #expect(throws: StartError.self) { try isNeeded(variables) }
    variables["TRACKME_PAYMENT_URL"] = "https://api.stripe.test"
    #expect(try !isNeeded(variables))
  }
}
