import Delivery
import EventLoop
import HTTP
import Operations
import Services

/// The background work of a Data4Help process for accounts: sending mail and sweeping.
///
/// One per process, on one of its loops; the queues of the other loops ring the same bell.
package struct AuthenticationWorkers: Sendable {
  /// The pause between two sweeps.
  static let sweepPause = Duration.seconds(60)
  private let mail: MailWorker
  private let mailStopMax: Duration
  private let fence: LoopBound<DeliveryFence>
  private let sweeping: RepeatingWork

  /// Workers on the loop of these surroundings that send mail over `transport`; a stop waits
  /// `mailStopMax` for mails that a server has received and not yet answered.
  package init(
    surroundings: Surroundings, settings: AuthenticationSettings, transport: any MailTransport,
    mailStopMax: Duration
  ) {
    self.mailStopMax = mailStopMax
    let fence = surroundings.fence
    self.fence = fence
    mail = MailWorker(
      queue: surroundings.mails, database: surroundings.database, transport: transport,
      world: surroundings.world, log: surroundings.log, metrics: surroundings.metrics,
      mayLeave: { fence.value.admits($0, readAt: $1) })
    let sweeper = AccountSweeper(surroundings, settings)
    let log = surroundings.log
    sweeping = RepeatingWork(on: surroundings.loop) {
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
