import EventLoop
import HTTP
import Operations
import Time

/// The TLS context of the HTTPS port, by the files of its certificate and key: a changed file takes
/// effect within seconds, for new connections. Session ticket keys live as long as a context, so a
/// new one is made every day in any case.
// SAFETY: mutable state is touched on `loop` alone.
package final class PublicCertificate: @unchecked Sendable {
  /// The time within which changed files are read.
  package static let pause = Duration.seconds(5)
  /// The longest life of a context.
  package static let contextMax = Duration.seconds(24 * 3600)

  /// The context for new connections.
  package let current: CurrentTLSContext
  private let certificate: String
  private let key: String
  private let loop: EventLoop
  private let log: Log
  private var identity: TLSIdentity
  private var age = Duration.zero
  /// The last failure, and whether it was logged.
  private var failure = RepeatedFailure()
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
    try CertificateFiles.makeIfMissing(
      certificate: certificate, key: key, environment: environment)
    identity = try CertificateFiles.read(certificate: certificate, key: key)
    current = CurrentTLSContext(try CertificateFiles.context(of: identity))
  }

  /// Starts to follow the files. Callable from any thread.
  package func start() { loop.execute { [self] in plan() } }

  /// Stops following them. Callable from any thread.
  package func stop() {
    loop.execute { [self] in
      isStopped = true
      timer?.cancel()
    }
  }

  private func plan() {
    guard !isStopped else { return }
    timer = loop.schedule(after: Self.pause) { [self] in
      age += Self.pause
      follow()
      plan()
    }
  }

  /// Reads the files, two small ones of the system's cache.
  ///
  /// They are replaced one after the other: a pair that does not match is read again after a pause,
  /// and logged only if the reason is the same then. Context and ticket keys stay meanwhile.
  private func follow() {
    do throws(StartError) {
      let next = try CertificateFiles.read(certificate: certificate, key: key)
      let isChanged = !next.isSame(as: identity)
      if isChanged || age >= Self.contextMax {
        current.replace(with: try CertificateFiles.context(of: next))
        identity = next
        age = .zero
      }
      if isChanged { log.info("TLS certificate reloaded") }
      failure.clear()
    } catch {
      guard failure.note(error) else { return }
      log.failure("reload TLS certificate failed, certificate and ticket keys kept", error)
    }
  }
}

extension TLSIdentity {
  fileprivate func isSame(as other: TLSIdentity) -> Bool {
    certificateChain == other.certificateChain && privateKey == other.privateKey
  }
}
