import AutomatedSOS
import Domain
import EventLoop
import HTTP
import Operations
import Services

/// Judges what comes in, and carries out what is decided. One per loop; the detectors are those of
/// the process.
package struct EmergencyWatch: Sendable {
  /// How long a step rests that a database was away for.
  private static let retryPause = Duration.milliseconds(200)

  let monitoring: Monitoring
  let store: EmergencyStore
  private let surroundings: Surroundings

  init(_ surroundings: Surroundings, _ settings: EmergencySettings, _ monitoring: Monitoring) {
    self.surroundings = surroundings
    self.monitoring = monitoring
    store = EmergencyStore(surroundings, settings)
  }

  /// Judges samples that have arrived, before any database is asked; what is to be done is begun
  /// and goes on beside whatever the caller does.
  func take(_ samples: [NewSample], of account: AccountID) {
    guard monitoring.watches(account) else { return }
    let judged = JudgedReadings(samples, at: surroundings.world.now().timestamp)
    guard !judged.isEmpty, judge(judged, of: account) else { return }
    surroundings.loop.begin { await carry(account) }
  }

  /// The same, and returns once it was carried out.
  func takeAndWait(_ judged: JudgedReadings, of account: AccountID) async {
    if judge(judged, of: account) { await carry(account) }
    // Somebody else carries it out.
    for _ in 0..<100 where !monitoring.isSettled(account) {
      do throws(CancellationError) {
        try await surroundings.loop.wait(for: .milliseconds(20))
      } catch { return }
    }
  }

  private func judge(_ judged: JudgedReadings, of account: AccountID) -> Bool {
    monitoring.judge(
      judged, of: account, at: Moment(surroundings.world.now()), today: surroundings.today)
  }

  /// Carries out what waits for an account, one step after the other. A step that a database is
  /// away for is tried again until it is back; one that fails otherwise is given up.
  private func carry(_ account: AccountID) async {
    while let step = monitoring.nextStep(of: account) {
      do throws(Problem) {
        if let present = try await store.carry(step, of: account) { follow(present) }
        monitoring.finishStep(of: account)
      } catch {
        if error.status == .unavailable {
          do throws(CancellationError) {
            try await surroundings.loop.wait(for: Self.retryPause)
          } catch { return }
          continue
        }
        surroundings.log.error(
          "a step of an emergency is given up", [.number("status", error.status.code)])
        monitoring.finishStep(of: account)
      }
    }
  }

  /// Takes over how a person is monitored, ahead of what is followed.
  func take(over row: MonitoredUserRow) {
    monitoring.apply(row, at: Moment(surroundings.world.now()), today: surroundings.today)
  }

  /// Lets the person's detector go on with a stored emergency.
  func follow(_ emergency: FollowedEmergency) {
    guard let episode = emergency.episode else { return }
    monitoring.resume(episode, emergency.detectorStage, of: emergency.account)
  }
}
