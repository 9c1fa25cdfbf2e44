import Accounts
import EventLoop
import Mail
import Operations
import ServiceKit
import Sharing

/// The background work of a Data4Help process for accounts: sending mail and sweeping.
///
/// One per process, on one of its loops; the queues of the other loops share one signal.
package struct AuthenticationWorkers: Sendable {
  /// The pause between two sweeps.
  static let sweepPause = Duration.seconds(60)
  private let mail: MailWorker
  private let mailStopMax: Duration
  private let fence: LoopBound<RevocationFence>
  private let sweeping: PeriodicTask

  /// Workers that send mail over `transport`, unless `fence` blocks it; a stop waits `mailStopMax`
  /// for mails that a server has received and not yet answered.
  package init(
    dependencies: AccountsDependencies, settings: AuthenticationSettings,
    transport: any MailTransport,
    mailStopMax: Duration, fence: LoopBound<RevocationFence>
  ) {
    self.mailStopMax = mailStopMax
    self.fence = fence
    mail = MailWorker(
      queue: dependencies.mailQueue, database: dependencies.database, transport: transport,
      environment: dependencies.environment, log: dependencies.log, metrics: dependencies.metrics,
      mayLeave: { fence.value.admits($0, readAt: $1) })
    let sweeper = AccountSweeper(
      environment: dependencies.environment, database: dependencies.database,
      accountKeys: dependencies.accountKeys, settings)
    let log = dependencies.log
    sweeping = PeriodicTask(on: dependencies.loop) {
      do throws(ApplicationError) { try await sweeper.sweep() } catch {
        log.failure("sweep accounts failed", error, level: .warning)
      }
      return Self.sweepPause
    }
  }

  /// Starts both. On the loop, once.
  package func start() {
    fence.value.callsBack(mail)
    mail.start()
    sweeping.start()
  }

  /// Returns once the current work is finished, or left to another process. On the loop.
  package func stop() async {
    await sweeping.stop()
    await mail.stop(within: mailStopMax)
  }
}
