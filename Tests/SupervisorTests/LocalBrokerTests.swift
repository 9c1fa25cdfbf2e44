import Bytes
import Cryptography
import EventLoop
import Foundation
import HTTP
import Installation
import Operations
import Payments
import Testing
import Web
import trackme_lab

@Suite("The local broker")
struct LocalBrokerTests {
  private static let key = HMACKey(SecretBytes(utf8: "key of the orders"))
  private static let order = LocalOrder(
    CheckoutOrder(
      reference: "r", attempt: "r-1", amount: 1250, currency: "eur", description: "a request",
      returnURL: "https://trackme.test"))

  private static func name(_ document: String, under key: HMACKey) -> String {
    let bytes = Array(document.utf8)
    var text: [UInt8] = []
    Base64.url.append(bytes.span, to: &text)
    let code = key.code(of: bytes.span).inlineBytes
    return String(decoding: text, as: UTF8.self) + "." + Hexadecimal.encode(code.span)
  }

  @Test("an order is parsed from its page's name unchanged, under its own key only")
  func names() {
    let name = Self.order.name(under: Self.key)
    #expect(LocalOrder(name: name, under: Self.key) == Self.order)
    #expect(LocalOrder(name: name + "0", under: Self.key) == nil)
    #expect(LocalOrder(name: name, under: HMACKey(SecretBytes(utf8: "another"))) == nil)
  }

  @Test(
    "an incomplete order is refused, although it is signed",
    arguments: [
      "{}", "[]", #"{"reference":"r"}"#,
      #"{"reference":"r","attempt":"1","currency":"eur","description":"d","returnURL":"u"}"#,
      #"{"reference":"r","attempt":"1","amount":1,"currency":"eur","description":"d"}"#,
    ])
  func halves(_ document: String) {
    #expect(LocalOrder(name: Self.name(document, under: Self.key), under: Self.key) == nil)
  }

  @Test("a complete signed order is accepted")
  func whole() {
    let document = """
      {"reference":"r","attempt":"r-1","amount":1250,"currency":"eur","description":"a request",\
      "returnURL":"https://trackme.test"}
      """
    #expect(
      LocalOrder(name: Self.name(document, under: Self.key), under: Self.key) == Self.order)
  }

  // MARK: At its pages

  /// A broker whose gateway answers every confirmation with this status.
  private static func with(
    _ status: HTTPStatus, _ body: (_ url: String, _ key: String, _ log: LogRecorder) throws -> Void
  ) async throws {
    let loop = try EventLoop.start(name: "broker")
    defer { loop.stop() }
    let directory = FileManager.default.temporaryDirectory.path + "/tmplay-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let state = StateDirectory(path: directory)
    try state.makeDirectory("keys")
    let gateway = try await serve(
      [Route(.post, "/pay/confirm") { (_) throws(Problem) in Response(status) }], on: loop)
    let log = LogRecorder()
    let broker = LocalBroker(port: 1, gatewayPort: gateway, state: state)
    let routes = try BrokerRoutes(
      broker, log: Log(process: "broker", level: .info, sink: log.sink))
    let port = try await serve(routes.all, on: loop)
    let key = try SecretFile(path: directory + "/keys/broker.key").text(of: "this test")
    try body("http://127.0.0.1:\(port)", key, log)
  }

  private static func serve(_ routes: [Route], on loop: EventLoop) async throws -> UInt16 {
    let server = try await HTTPServer.start(
      [HTTPListener(.tcp(host: "127.0.0.1", port: 0))], on: [loop],
      handlers: Service(Router(routes), log: .none).handlers)
    guard case .tcp(_, let port) = server.addresses[0] else { throw NoPort() }
    return port
  }

  private struct NoPort: Error {}

  private static func press(_ choice: String, _ page: String) throws -> String {
    try Copy.execute(
      URL(filePath: "/usr/bin/curl"), ["--silent", "--data", "choice=\(choice)", page],
      environment: [:]
    ).output
  }

  private static func page(at url: String, under key: HMACKey) -> String {
    "\(url)/pay/\(order.name(under: key))"
  }

  private static func ordersKey(_ key: String) -> HMACKey {
    HMACKey(
      HKDF.derive(from: SecretBytes(utf8: key), label: "trackme/1/orders-in-play", count: 32))
  }

  @Test(
    "a confirmation accepted by the gateway is reported in the page and in the log",
    arguments: [("pay", "Paid", "true"), ("decline", "Declined", "false")])
  func taken(_ choice: String, _ title: String, _ isPaid: String) async throws {
    try await Self.with(.ok) { url, key, log in
      let shown = try Self.press(choice, Self.page(at: url, under: Self.ordersKey(key)))
      #expect(shown.contains("<h1>\(title)</h1>"), "\(shown)")
      #expect(log.lines.count == 1)
      #expect(log.lines[0].contains(#""message":"the gateway accepted a confirmation""#))
      #expect(log.lines[0].contains(#""is_paid":\#(isPaid)"#))
    }
  }

  @Test(
    "a confirmation refused by the gateway is neither paid nor logged as accepted",
    arguments: [HTTPStatus.unauthorized, .unavailable])
  func refused(_ status: HTTPStatus) async throws {
    try await Self.with(status) { url, key, log in
      let shown = try Self.press("pay", Self.page(at: url, under: Self.ordersKey(key)))
      #expect(shown.contains("<h1>TrackMe did not receive the confirmation</h1>"), "\(shown)")
      #expect(log.lines.count == 1)
      #expect(log.lines[0].contains(#""message":"the gateway refused a confirmation""#))
      #expect(log.lines[0].contains("\"status\":\(status.code)"))
    }
  }

  @Test("Data4Help's API key cannot sign a page")
  func keys() async throws {
    try await Self.with(.ok) { url, key, log in
      let forged = Self.page(at: url, under: HMACKey(SecretBytes(utf8: key)))
      let shown = try Self.press("pay", forged)
      #expect(shown.contains("404"), "\(shown)")
      #expect(log.lines.allSatisfy { !$0.contains("confirmation") })
    }
  }
}
