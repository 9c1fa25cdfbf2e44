import AutomatedSOS
import Domain
import EventLoop
import Foundation
import HTTP
import Operations

/// Lets a simulated phone run: it pairs through HTTPS, and carries out what `SimulatedPhone`
/// decides with the device's token and the clock of the system. On one loop.
final class SimulatedDevice {
  struct Settings: Sendable {
    let port: UInt16
    let certificate: [UInt8]
    let file: PhoneFile
    let plan: SimulatedPhone.Plan
    /// A recording, or nothing for the profile.
    let recording: [RecordedSign]?
    let profile: VitalSigns.Profile
  }

  /// The time between two looks whether the code was typed.
  private static let pairingPause = Duration.seconds(2)

  private let settings: Settings
  private let loop: EventLoop
  private let gateway: PhoneGateway
  private var token = ""
  private var phone: SimulatedPhone
  private var stream: PhoneStream?
  private var timer: LoopTimer?
  private var end: CheckedContinuation<Result<Void, StartError>, Never>?

  /// - Throws: where the certificate can't be used.
  init(_ settings: Settings, on loop: EventLoop) throws(StartError) {
    self.settings = settings
    self.loop = loop
    gateway = try PhoneGateway(settings.port, settings.certificate, on: loop)
    phone = Self.phone(settings, UnsentSamples())
  }

  private static var now: Timestamp { World.system.now().demoTimestamp }

  private static func phone(_ settings: Settings, _ unsent: UnsentSamples) -> SimulatedPhone {
    let source =
      settings.recording.map { VitalSigns($0, from: now) }
      ?? VitalSigns(settings.profile, from: now)
    return SimulatedPhone(settings.plan, source, unsent: unsent, at: now)
  }

  /// Pairs, unless it was paired before, then measures, judges and sends until it is done.
  ///
  /// - Throws: where pairing fails, the file can't be written, or the token was ended.
  func run() async throws(StartError) {
    defer { gateway.shutDown() }
    let kept = try settings.file.read()
    token = kept.token
    if token.isEmpty { try await pair() }
    try settings.file.write(token, kept.unsent)
    phone = Self.phone(settings, kept.unsent)
    let bound = LoopBound(self, on: loop)
    let stream = gateway.follow(token) {
      bound.value.perform(bound.value.phone.heard($0, at: Self.now))
    }
    defer { stream.stop() }
    listen()
    let result = await withCheckedContinuation { continuation in
      end = continuation
      turn()
    }
    timer?.cancel()
    try result.get()
  }

  /// Every line that is typed aborts.
  private func listen() {
    let bound = LoopBound(self, on: loop)
    Thread.detachNewThread {
      while readLine() != nil {
        bound.loop.execute {
          bound.value.perform(bound.value.phone.abort(at: Self.now))
        }
      }
    }
  }

  private func turn() {
    perform(phone.advance(to: Self.now))
  }

  private func finish(_ result: Result<Void, StartError>) {
    end?.resume(returning: result)
    end = nil
  }

  // MARK: What the phone decides

  /// Carries out what the phone decided, and comes back when it has something to do.
  private func perform(_ actions: [SimulatedPhone.Action]) {
    guard end != nil else { return }
    for action in actions {
      do throws(StartError) { try perform(action) } catch { return finish(.failure(error)) }
    }
    timer?.cancel()
    let left = phone.nextDeadline.millisecondsSince1970 - Self.now.millisecondsSince1970
    timer = loop.schedule(after: .milliseconds(max(left, 1))) { [self] in turn() }
  }

  private func perform(_ action: SimulatedPhone.Action) throws(StartError) {
    let bound = LoopBound(self, on: loop)
    switch action {
    case .say(let line): Terminal.say(line)
    case .keep(let signs): try settings.file.append(signs)
    case .rewrite: try settings.file.write(token, phone.unsent)
    case .upload(let signs): loop.begin { await bound.value.upload(signs) }
    case .raise(let rule, let signs): loop.begin { await bound.value.raise(rule, signs) }
    case .abort(let id): loop.begin { await bound.value.abort(id) }
    case .readSettings: loop.begin { await bound.value.readSettings() }
    case .end: finish(.success(()))
    }
  }

  private func upload(_ signs: [VitalSign]) async {
    let answer = await gateway.upload(signs, token: token)
    switch answer?.head.status {
    case .ok: perform(phone.wasStored(at: Self.now))
    case .forbidden:
      finish(.failure(StartError("The device was removed: its token is good no more.")))
    case .badRequest:
      let detail = DemoJSON.text("detail", in: answer?.body ?? []) ?? "400"
      finish(.failure(StartError("The upload was refused: \(detail)")))
    default: perform(phone.wasNotReached(at: Self.now))
    }
  }

  private func raise(_ rule: Rule, _ signs: [VitalSign]) async {
    let answer = await gateway.raise(rule, signs, at: settings.plan.position, token: token)
    perform(phone.alertWasAnswered(rule, answer, at: Self.now))
  }

  private func abort(_ id: String) async {
    let answer = await gateway.abort(id, token: token)
    perform(phone.abortWasAnswered(id, answer, at: Self.now))
  }

  private func readSettings() async {
    guard let answer = await gateway.settings(token: token) else { return }
    perform(phone.took(answer, at: Self.now))
  }

  // MARK: Pairing

  private func pair() async throws(StartError) {
    guard let begun = await gateway.call(.post, "/devices/pair/start", PhoneDocuments.device)
    else { throw StartError("The gateway can't be reached: does the system run?") }
    guard begun.head.status == .ok, let code = DemoJSON.text("code", in: begun.body),
      let id = DemoJSON.text("pairingID", in: begun.body),
      let secret = DemoJSON.text("pairingSecret", in: begun.body)
    else { throw StartError("Pairing can't begin: \(begun.head.status.code).") }
    Terminal.say("code \(code)")
    let ending = DemoJSON.object([("pairingID", id), ("pairingSecret", secret)])
    while token.isEmpty {
      guard let finished = await gateway.call(.post, "/devices/pair/finish", ending) else {
        throw StartError("The gateway can't be reached: does the system run?")
      }
      switch finished.head.status {
      case .accepted: await pause(Self.pairingPause)
      case .ok: token = DemoJSON.text("deviceToken", in: finished.body) ?? ""
      default: throw StartError("Nobody typed the code in time.")
      }
    }
    Terminal.say("paired")
  }

  private func pause(_ duration: Duration) async {
    await withCheckedContinuation { continuation in
      _ = loop.schedule(after: duration) { continuation.resume() }
    }
  }
}
