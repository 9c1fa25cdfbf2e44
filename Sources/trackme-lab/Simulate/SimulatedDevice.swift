import AutomatedSOS
import Domain
import EventLoop
import Foundation
import HTTP
import Installation
import Operations
import Time

/// Runs a simulated phone: pairs it over HTTPS and executes the actions of `SimulatedPhone` with
/// the device's token and the system clock. On one loop.
final class SimulatedDevice {
  struct Settings: Sendable {
    let port: UInt16
    let certificate: [UInt8]
    let file: PhoneFile
    let plan: SimulatedPhone.Plan
    /// A recording; nil to use the profile.
    let recording: [RecordedSign]?
    let profile: VitalSigns.Profile
  }

  /// The pause between two checks whether the code was entered.
  private static let pairingPause = Duration.seconds(2)

  private let settings: Settings
  private let loop: EventLoop
  private let gateway: PhoneGateway
  private var token = ""
  private var phone: SimulatedPhone
  private var stream: PhoneStream?
  private var timer: LoopTimer?
  private var end: CheckedContinuation<Result<Void, StartError>, Never>?

  /// - Throws: `StartError` if the certificate is unusable.
  init(_ settings: Settings, on loop: EventLoop) throws(StartError) {
    self.settings = settings
    self.loop = loop
    gateway = try PhoneGateway(settings.port, settings.certificate, on: loop)
    phone = Self.phone(settings, UnsentSamples())
  }

  private static var now: Instant { Environment.system.now().flooredToMilliseconds }

  private static func phone(_ settings: Settings, _ unsent: UnsentSamples) -> SimulatedPhone {
    let source =
      settings.recording.map { VitalSigns($0, from: now) }
      ?? VitalSigns(settings.profile, from: now)
    return SimulatedPhone(settings.plan, source, unsent: unsent, at: now)
  }

  /// Pairs an unpaired device, then measures, evaluates and sends until the phone ends.
  ///
  /// - Throws: `StartError` if pairing fails, the file can't be written, or the token was revoked.
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

  /// Every line on standard input aborts.
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

  // MARK: The phone's actions

  /// Executes the phone's actions, and calls the phone again when its next deadline is due.
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
      finish(.failure(StartError("The device was removed: its token is no longer valid.")))
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
    else { throw StartError("The gateway can't be reached: is the system running?") }
    guard begun.head.status == .ok, let code = DemoJSON.text("code", in: begun.body),
      let id = DemoJSON.text("pairingID", in: begun.body),
      let secret = DemoJSON.text("pairingSecret", in: begun.body)
    else { throw StartError("Pairing can't begin: \(begun.head.status.code).") }
    Terminal.say("code \(code)")
    let ending = DemoJSON.object([("pairingID", id), ("pairingSecret", secret)])
    while token.isEmpty {
      guard let finished = await gateway.call(.post, "/devices/pair/finish", ending) else {
        throw StartError("The gateway can't be reached: is the system running?")
      }
      switch finished.head.status {
      case .accepted: await pause(Self.pairingPause)
      case .ok: token = DemoJSON.text("deviceToken", in: finished.body) ?? ""
      default: throw StartError("The code was not entered in time.")
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
