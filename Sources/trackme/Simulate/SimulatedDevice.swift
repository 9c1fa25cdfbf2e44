import Domain
import EventLoop
import HTTP
import JSON
import Operations

/// A phone that measures a heart rate and uploads it: what it has not sent it keeps in a file, a
/// week of it, and sends it late (DAT-9, R7, R8). On one loop.
final class SimulatedDevice {
  struct Settings: Sendable {
    let port: UInt16
    let certificate: [UInt8]
    let file: String
    let every: Duration
    let send: Duration
    let count: Int?
  }

  /// The time between two looks whether the code was typed.
  private static let pairingPause = Duration.seconds(2)

  private let settings: Settings
  private let loop: EventLoop
  private var token = ""
  private var unsent = UnsentSamples()
  private var chance = DemoChance()
  private var isAway = false

  init(_ settings: Settings, on loop: EventLoop) {
    self.settings = settings
    self.loop = loop
  }

  /// Pairs, unless it was paired before, then measures and sends until the count is reached.
  ///
  /// - Throws: where pairing fails, the file can't be written, or the token was ended.
  func run() async throws(StartError) {
    let client = try client()
    defer { client.shutDown() }
    try read()
    if token.isEmpty { try await pair(client) }
    var dueAt = loop.now
    var left = settings.count
    while left != 0 {
      measure()
      try write()
      if dueAt <= loop.now, try await send(client) { dueAt = loop.now + settings.send }
      left = left.map { $0 - 1 }
      if left != 0 { await pause(settings.every) }
    }
    while !unsent.measurements.isEmpty {
      if try await !send(client) { await pause(settings.every) }
    }
  }

  private func pause(_ duration: Duration) async {
    await withCheckedContinuation { continuation in
      _ = loop.schedule(after: duration) { continuation.resume() }
    }
  }

  private func measure() {
    let milliseconds = World.system.now().millisecondsSince1970
    let rate = Int(72 + chance.next(9))
    unsent.add(Measurement(millisecondsSince1970: milliseconds, rate: rate))
  }

  // MARK: The file

  /// The token in the first line, then what was not sent.
  private func read() throws(StartError) {
    guard FileSystem.exists(settings.file) else { return }
    do throws(SystemError) {
      let bytes = try FileSystem.read(settings.file, bytesMax: UnsentSamples.bytesMax)
      let text = String(decoding: bytes, as: UTF8.self)
      token = text.split(separator: "\n").first.map(String.init) ?? ""
      unsent = UnsentSamples(text: text.dropFirst(token.count))
    } catch {
      throw StartError("\(settings.file) can't be read", error)
    }
  }

  private func write() throws(StartError) {
    do throws(SystemError) {
      try FileSystem.writeAtomically(settings.file, Array("\(token)\n\(unsent.text)".utf8))
    } catch {
      throw StartError("\(settings.file) can't be written", error)
    }
  }

  // MARK: Pairing

  private func pair(_ client: HTTPClient) async throws(StartError) {
    var writer = JSONWriter()
    writer.object {
      $0.field("name", "Simulated phone")
      $0.field("model", "trackme simulate")
      $0.field("types", ["heartRate"])
    }
    let begun = try await answer(client, "/devices/pair/start", writer.bytes)
    guard begun.head.status == .ok, let code = DemoJSON.text("code", in: begun.body),
      let id = DemoJSON.text("pairingID", in: begun.body),
      let secret = DemoJSON.text("pairingSecret", in: begun.body)
    else { throw StartError("Pairing can't begin: \(begun.head.status.code).") }
    Terminal.say("code \(code)")
    let ending = DemoJSON.object([("pairingID", id), ("pairingSecret", secret)])
    while token.isEmpty {
      let finished = try await answer(client, "/devices/pair/finish", ending)
      switch finished.head.status {
      case .accepted: await pause(Self.pairingPause)
      case .ok: token = DemoJSON.text("deviceToken", in: finished.body) ?? ""
      default: throw StartError("Nobody typed the code in time.")
      }
    }
    try write()
    Terminal.say("paired")
  }

  // MARK: Sending

  /// Sends all there is; whether it went.
  private func send(_ client: HTTPClient) async throws(StartError) -> Bool {
    while !unsent.measurements.isEmpty {
      let batch = unsent.batch
      guard let answer = await attempt(client, "/data/upload", Self.upload(batch)) else {
        return notReached()
      }
      switch answer.head.status {
      case .ok:
        unsent.removeOldest(batch.count)
        try write()
        isAway = false
        Terminal.say("sent \(batch.count)")
      case .forbidden: throw StartError("The device was removed: its token is good no more.")
      case .badRequest: throw StartError("The upload was refused: \(answer.head.status.code).")
      default: return notReached()
      }
    }
    return true
  }

  private func notReached() -> Bool {
    if !isAway { Terminal.say("the gateway is away: \(unsent.measurements.count) wait") }
    isAway = true
    return false
  }

  private static func upload(_ batch: ArraySlice<Measurement>) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.array("dataTypes") { for _ in batch { $0.value("heartRate") } }
      $0.array("values") { for measurement in batch { $0.value(measurement.rate) } }
      $0.array("timestamp") {
        for measurement in batch { $0.value(measurement.time.description) }
      }
    }
    return writer.bytes
  }

  // MARK: HTTPS

  private func client() throws(StartError) -> HTTPClient {
    var client = HTTPClientSettings()
    client.version = .http1
    client.serverName = "localhost"
    do throws(TLSError) {
      client.tls = try TLSContext(
        clientTrusting: .certificates(settings.certificate), protocols: [.http1])
    } catch {
      throw StartError("The certificate can't be used: \(error.description)")
    }
    return HTTPClient(
      to: .tcp(host: "127.0.0.1", port: settings.port), on: loop,
      settings: client)
  }

  private func answer(
    _ client: HTTPClient, _ path: String, _ body: [UInt8]
  ) async throws(StartError) -> HTTPClientResponse {
    guard let response = await attempt(client, path, body) else {
      throw StartError("The gateway can't be reached: does the system run?")
    }
    return response
  }

  /// What the gateway answers; nil if it can't be reached.
  private func attempt(
    _ client: HTTPClient, _ path: String, _ body: [UInt8]
  ) async -> HTTPClientResponse? {
    var head = RequestHead(.post, path, authority: "localhost:\(settings.port)")
    head.isSecure = true
    head.fields.append(.contentType, "application/json")
    if !token.isEmpty { head.fields.append(.authorization, "Bearer \(token)") }
    do throws(HTTPClientError) { return try await client.send(head, body: body) } catch {
      return nil
    }
  }
}
