import EventLoop
import HTTP
import Operations

/// Recreates the TLS context of the HTTPS port every day from the current files. Session ticket
/// keys live as long as a context, and a replaced certificate takes effect without a restart.
// SAFETY: mutable state is touched on `loop` alone.
package final class CertificateRenewal: @unchecked Sendable {
  /// The time between two renewals.
  package static let pause = Duration.seconds(24 * 3600)

  /// The context for new connections.
  package let current: CurrentTLSContext
  private let certificate: String
  private let key: String
  private let loop: EventLoop
  private let log: Log
  private var timer: LoopTimer?
  private var isStopped = false

  /// Reads the two files; where neither exists, creates a self-signed certificate.
  ///
  /// - Throws: `StartError` if a file cannot be read or created, only one of them exists, or they
  ///   do not match.
  package init(
    certificate: String, key: String, on loop: EventLoop, log: Log, environment: Environment
  ) throws(StartError) {
    self.certificate = certificate
    self.key = key
    self.loop = loop
    self.log = log
    current = CurrentTLSContext(
      try CertificateFiles.context(certificate: certificate, key: key, environment: environment))
  }

  /// Starts the daily renewal. Callable from any thread.
  package func start() { loop.execute { [self] in plan() } }

  /// Stops the renewal. Callable from any thread.
  package func stop() {
    loop.execute { [self] in
      isStopped = true
      timer?.cancel()
    }
  }

  private func plan() {
    guard !isStopped else { return }
    timer = loop.schedule(after: Self.pause) { [self] in
      renew()
      plan()
    }
  }

  /// Blocks the loop for two small files once a day.
  private func renew() {
    do throws(StartError) {
      current.replace(with: try CertificateFiles.read(certificate: certificate, key: key))
      log.info("TLS certificate reloaded")
    } catch {
      log.error(
        "reload TLS certificate failed, certificate and ticket keys kept",
        [.safe("cause", OperatorText(error.description))])
    }
  }
}
