import AutomatedSOS
import Domain
import EventLoop
import HTTP
import JSON
import Operations

/// The phone's HTTPS client of the gateway, which trusts only the gateway's certificate. Alerts use
/// a separate connection, so that they never wait for a long upload. On one loop.
struct PhoneGateway {
  private let address: SocketAddress
  private let authority: String
  private let loop: EventLoop
  private let settings: HTTPClientSettings
  private let ordinary: HTTPClient
  private let urgent: HTTPClient

  /// The request timeout, short so that a lost request is soon repeated.
  private static let answerMax = Duration.seconds(10)

  /// - Throws: `StartError` if the certificate is unusable.
  init(_ port: UInt16, _ certificate: [UInt8], on loop: EventLoop) throws(StartError) {
    self.loop = loop
    address = .tcp(host: "127.0.0.1", port: port)
    authority = "localhost:\(port)"
    var settings = HTTPClientSettings()
    settings.version = .http1
    settings.serverName = "localhost"
    settings.timeouts.response = Self.answerMax
    do throws(TLSError) {
      settings.tls = try TLSContext(
        clientTrusting: .certificates(certificate), protocols: [.http1])
    } catch {
      throw StartError("The certificate can't be used: \(error.description)")
    }
    self.settings = settings
    ordinary = HTTPClient(to: address, on: loop, settings: settings)
    urgent = HTTPClient(to: address, on: loop, settings: settings)
  }

  func shutDown() {
    ordinary.shutDown()
    urgent.shutDown()
  }

  /// The gateway's response; nil if it is unreachable.
  func call(
    _ method: HTTPMethod, _ path: String, _ body: [UInt8] = [], token: String = "",
    isUrgent: Bool = false
  ) async -> HTTPClientResponse? {
    var head = head(method, path, token)
    if !body.isEmpty { head.fields.append(.contentType, "application/json") }
    let client = isUrgent ? urgent : ordinary
    do throws(HTTPClientError) { return try await client.send(head, body: body) } catch {
      return nil
    }
  }

  private func head(_ method: HTTPMethod, _ path: String, _ token: String) -> RequestHead {
    var head = RequestHead(method, path, authority: authority)
    head.isSecure = true
    if !token.isEmpty { head.fields.append(.authorization, "Bearer \(token)") }
    return head
  }

  /// Uploads samples; nil without a response.
  func upload(_ signs: [VitalSign], token: String) async -> HTTPClientResponse? {
    await call(.post, "/data/upload", PhoneDocuments.upload(signs), token: token)
  }

  /// Raises an alert.
  func raise(
    _ rule: Rule, _ signs: [VitalSign], at position: GeoPoint?, token: String
  ) async -> SimulatedPhone.AlertAnswer {
    let body = PhoneDocuments.alert(rule, signs, at: position)
    let answer = await call(.post, "/sos/alert", body, token: token, isUrgent: true)
    guard let answer else { return .notReached }
    switch answer.head.status {
    case .ok:
      return .raised(alarm(in: answer.body))
    case .conflict, .badRequest, .forbidden:
      return .refused(DemoJSON.text("detail", in: answer.body) ?? "\(answer.head.status.code)")
    default: return .notReached
    }
  }

  /// The emergency in the response to an alert; an unknown kind if the response is malformed.
  private func alarm(in answer: [UInt8]) -> PhoneAlarm {
    do throws(JSONError) {
      return try JSONReader.read(PhoneAlarm.self, from: answer)
    } catch {
      return PhoneAlarm(stage: "", emergencyID: nil, rule: "")
    }
  }

  /// Aborts an emergency.
  func abort(_ id: String, token: String) async -> SimulatedPhone.AbortAnswer {
    let body = DemoJSON.object([("episodeID", id)])
    let answer = await call(.post, "/sos/abort", body, token: token, isUrgent: true)
    guard let status = answer?.head.status else { return .notReached }
    switch status {
    case .ok: return .aborted
    case .conflict, .notFound, .badRequest, .forbidden: return .tooLate
    default: return .notReached
    }
  }

  /// The monitoring settings of the person; nil without a valid response.
  func settings(token: String) async -> PhoneSettings? {
    let answer = await call(.get, "/sos/settings", token: token)
    guard let answer, answer.head.status == .ok else { return nil }
    do throws(JSONError) {
      return try JSONReader.read(PhoneSettings.self, from: answer.body)
    } catch {
      return nil
    }
  }

  /// Follows the person's alarms and reconnects whenever the stream is interrupted.
  func follow(_ token: String, _ heard: @escaping (PhoneAlarm) -> Void) -> PhoneStream {
    var settings = settings
    settings.timeouts.response = .seconds(24 * 3600)
    let stream = PhoneStream(
      head(.get, "/events", token), to: address, settings, on: loop, heard)
    stream.start()
    return stream
  }
}
