import EventLoop
import HTTP
import Operations

/// Makes the context of the HTTPS port anew each day, from its files as they are then: the keys of
/// session tickets live as long as a context does, and a certificate that was replaced comes into
/// use without a restart.
// SAFETY: what changes is touched on `loop` alone.
package final class CertificateRenewal: @unchecked Sendable {
  /// Between two renewals.
  package static let pause = Duration.seconds(24 * 3600)

  /// The context for new connections.
  package let current: CurrentTLSContext
  private let certificate: String
  private let key: String
  private let loop: EventLoop
  private let log: Log
  private var timer: LoopTimer?
  private var isStopped = false

  /// Reads the two files; where neither exists, a self-signed certificate is made.
  ///
  /// - Throws: `StartError` where a file cannot be read or made, only one exists, or they don't fit
  ///   together.
  package init(
    certificate: String, key: String, on loop: EventLoop, log: Log, world: World
  ) throws(StartError) {
    self.certificate = certificate
    self.key = key
    self.loop = loop
    self.log = log
    current = CurrentTLSContext(
      try CertificateFiles.context(certificate: certificate, key: key, world: world))
  }

  /// Renews from now on. From any thread.
  package func start() { loop.execute { [self] in plan() } }

  /// Renews no more. From any thread.
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

  /// Two small files are read on the loop, once a day.
  private func renew() {
    do throws(StartError) {
      current.replace(with: try CertificateFiles.read(certificate: certificate, key: key))
      log.info("the HTTPS port has read its certificate again")
    } catch {
      log.error(
        "the HTTPS port keeps its certificate and its ticket keys",
        [.safe("cause", OperatorText(error.description))])
    }
  }
}
