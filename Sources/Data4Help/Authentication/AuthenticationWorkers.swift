import Delivery
import EventLoop
import HTTP
import Operations
import Services

/// What a process of Data4Help does for accounts beside answering: sending mail and sweeping.
///
/// One per process, on one of its loops; the other loops' queues ring the same bell.
package struct AuthenticationWorkers: Sendable {
  /// How long the sweeper rests.
  static let sweepPause = Duration.seconds(60)
  private let mail: MailWorker
  private let mailStopMax: Duration
  private let fence: LoopBound<DeliveryFence>
  private let sweeping: RepeatingWork

  /// Workers on the loop of these surroundings, of which mail leaves by `transport`; a stop waits
  /// `mailStopMax` for mails that a server has and does not answer.
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

  /// Begins both. On the loop, once.
  package func start() {
    fence.value.callsBack(mail)
    mail.start()
    sweeping.start()
  }

  /// Returns once what was begun is finished, or left to who comes after. On the loop.
  package func stop() async {
    await sweeping.stop()
    await mail.stop(within: mailStopMax)
  }
}
