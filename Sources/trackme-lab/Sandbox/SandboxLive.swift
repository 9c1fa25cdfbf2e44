import Domain
import EventLoop
import HTTP
import Installation
import Operations
import Time

/// Uploads heart rates of the present for some people, one a second in turn, so that a subscription
/// of the company delivers a sample within seconds. On one loop.
struct SandboxLive: Sendable {
  private let town: Town
  private let zone: TimeZoneRules
  private let gateway: LocalGateway

  /// The number of people that upload.
  static let peopleMax = 10
  /// Seconds between two progress lines.
  private static let progressEvery: Int64 = 30

  init(_ town: Town, _ zone: TimeZoneRules, _ gateway: LocalGateway) {
    (self.town, self.zone, self.gateway) = (town, zone, gateway)
  }

  /// The people that upload: those that trust the company, so that its requests are accepted at
  /// once.
  static func people(of town: Town) -> [Citizen] {
    Array(town.citizens.filter(\.trustsCompany).prefix(peopleMax))
  }

  private struct Uploader: Sendable {
    let citizen: Citizen
    let token: String
  }

  /// Uploads until so many seconds have passed; without a number, until the process ends.
  ///
  /// - Throws: `StartError` if a login is refused, or once no person can upload any longer.
  func run(for seconds: Int64?, say: @Sendable (String) -> Void) async throws(StartError) {
    var uploaders: [Uploader] = []
    for citizen in Self.people(of: town) {
      let answer = try await gateway.insist(
        .post, "/auth/login", SandboxParties.login(of: citizen).request)
      guard let token = DemoJSON.text("authToken", in: answer) else {
        throw StartError("The login of \(citizen.email.text) returned no token.")
      }
      uploaders.append(Uploader(citizen: citizen, token: token))
    }
    say("\(uploaders.count) people upload a heart rate in turn, one each second:")
    for uploader in uploaders { say("  \(uploader.citizen.email.text)") }
    let end = seconds.map { Self.now.adding(seconds: $0) } ?? .infinity
    var (count, next) = (0, 0)
    var shown = Self.now
    while Self.now < end {
      guard !uploaders.isEmpty else {
        throw StartError("Every session of the live uploads was ended by another login.")
      }
      next = next % uploaders.count
      if try await upload(uploaders[next]) {
        (count, next) = (count + 1, next + 1)
      } else {
        say("\(uploaders[next].citizen.email.text) has another session, and uploads no longer.")
        uploaders.remove(at: next)
      }
      if Self.now >= shown.adding(seconds: Self.progressEvery) {
        shown = Self.now
        say("\(count) samples uploaded")
      }
      await gateway.pause(.seconds(1))
    }
    say("\(count) samples uploaded")
  }

  /// Uploads the heart rate of this second; false if the session was ended.
  private func upload(_ uploader: Uploader) async throws(StartError) -> Bool {
    let now = Self.now
    let date = zone.day(of: now)
    let day = CitizenDay(of: uploader.citizen, on: date)
    let passed = now.secondsSince1970 - zone.start(of: date).secondsSince1970
    var noise = DeterministicRandom(
      town.seed, .heartRate, uploader.citizen.number, Int(now.secondsSince1970))
    let rate = (day.heartRate(at: Double(passed) / 3600) + noise.around(3.5)).rounded()
    let sample = CitizenSample(type: .heartRate, value: .number(rate), time: now)
    let answer = try await gateway.call(
      .post, "/data/upload", CitizenSample.upload([sample]), token: uploader.token)
    switch answer.head.status {
    case .ok: return true
    case .unauthorized, .forbidden: return false
    default: throw gateway.refusal("/data/upload", answer)
    }
  }

  private static var now: Instant { Environment.system.now().flooredToMilliseconds }
}
