import EventLoop
import HTTP
import Operations
import Synchronization
import Time

/// TLS between the processes of an installation (decision 0051): contexts from the files of a
/// directory, which are read again while the process runs. Callable from any thread.
///
/// A changed file applies to new connections; existing ones keep their certificates.
package final class InnerTLS: Sendable {
  /// The time within which changed files are read.
  package static let pause = Duration.seconds(5)
  /// The name by which the ports of metrics know their only caller, and the name that each process
  /// has there: Prometheus verifies one name for all of them.
  package static let monitoringName = "monitoring"
  package static let metricsName = "metrics"
  private static let logPause = Duration.seconds(60)

  /// The context for connections to services.
  package let client: CurrentTLSContext
  /// The context for connections from the permitted callers; nil for a process without any.
  package let server: CurrentTLSContext?
  /// The context for connections of the monitoring.
  package let metrics: CurrentTLSContext
  private let directory: String
  private let kind: ProcessKind
  private let log: Log
  private let failures: Failures
  private let state: Mutex<State>

  private struct State {
    var files: InnerTLSFiles
    /// The end of the files' validity, in seconds since 1970.
    var end: Int64
    var failure = RepeatedFailure()
  }

  /// Reads the files.
  ///
  /// - Throws: `StartError` if one is missing or wrong, or the certificate is not signed by an
  ///   authority of the file or is for another process. A certificate that has ended is accepted,
  ///   so that a renewed one is taken without a restart.
  package init(
    directory: String, of kind: ProcessKind, log: Log, metrics: Metrics, environment: Environment
  ) throws(StartError) {
    self.directory = directory
    self.kind = kind
    self.log = log
    let failures = Failures(log: log, metrics: metrics, now: environment.monotonicNow)
    self.failures = failures
    let files = try InnerTLSFiles.read(from: directory)
    let contexts = try Self.contexts(files, kind, failures)
    client = CurrentTLSContext(contexts.client)
    server = contexts.server.map { CurrentTLSContext($0) }
    self.metrics = CurrentTLSContext(contexts.metrics)
    state = Mutex(State(files: files, end: contexts.end))
    metrics.reading(
      "trackme_inner_tls_remaining_seconds",
      "Time until the certificate between services ends, or the last authority that it trusts."
    ) { [self] in
      Double(end) - Double(environment.now().microsecondsSince1970) / 1_000_000
    }
  }

  /// When connections begin to fail, in seconds since 1970.
  private var end: Int64 { state.withLock { $0.end } }

  /// Follows the files from the start of the process to its stop, on this loop.
  package func component(on loop: EventLoop) -> LifecycleComponent {
    LifecycleComponent(
      "inner TLS",
      repeating: PeriodicTask(on: loop) { [self] in
        reload()
        return Self.pause
      }, on: loop)
  }

  /// Reads the files, three small ones of the system's cache. Changed ones apply to new
  /// connections.
  ///
  /// Files are replaced one after the other: a set that does not match is read again after a
  /// pause, and logged only if the reason is the same then. The previous contexts stay meanwhile.
  package func reload() {
    do throws(StartError) {
      let files = try InnerTLSFiles.read(from: directory)
      guard files != state.withLock({ $0.files }) else {
        return state.withLock { $0.failure.clear() }
      }
      let contexts = try Self.contexts(files, kind, failures)
      client.replace(with: contexts.client)
      if let context = contexts.server { server?.replace(with: context) }
      metrics.replace(with: contexts.metrics)
      state.withLock { $0 = State(files: files, end: contexts.end) }
      log.info("inner certificates reloaded")
    } catch {
      guard state.withLock({ $0.failure.note(error) }) else { return }
      log.failure("reload inner certificates failed, the previous ones kept", error)
    }
  }

  private struct Contexts {
    var client: TLSContext
    var server: TLSContext?
    var metrics: TLSContext
    var end: Int64
  }

  private static func contexts(
    _ files: InnerTLSFiles, _ kind: ProcessKind, _ failures: Failures
  ) throws(StartError) -> Contexts {
    let callers = kind.innerCallers.map(\.innerName)
    func server(accepting names: [String]) throws(TLSError) -> TLSContext {
      try TLSContext(
        server: files.identity,
        acceptingOnly: TLSPeers(signedBy: files.authorities, named: names),
        onFailure: failures.note)
    }
    do throws(TLSError) {
      try CertificateFacts.verify(files.certificate, by: files.authorities, for: kind.innerName)
      return Contexts(
        client: try TLSContext(
          client: files.identity, trusting: files.authorities, onFailure: failures.note),
        server: callers.isEmpty ? nil : try server(accepting: callers),
        metrics: try server(accepting: [monitoringName]), end: try files.end())
    } catch {
      throw StartError("The inner certificate of \(kind.rawValue) cannot be used: \(error)")
    }
  }

  /// Counts connections that failed, and logs at most one of them a minute.
  private final class Failures: Sendable {
    private let log: Log
    private let count: Counter
    private let now: @Sendable () -> MonotonicInstant
    private let loggedAt = Mutex<MonotonicInstant?>(nil)

    init(log: Log, metrics: Metrics, now: @escaping @Sendable () -> MonotonicInstant) {
      self.log = log
      self.now = now
      count = metrics.counter(
        "trackme_inner_tls_failures_total",
        "Connections between services that were refused or failed in TLS.")
    }

    @Sendable func note(_ error: TLSError) {
      count.increment()
      let time = now()
      let isDue = loggedAt.withLock { last in
        if let last, time - last < InnerTLS.logPause { return false }
        last = time
        return true
      }
      guard isDue else { return }
      log.warning(
        "inner TLS connection failed", [.safe("cause", OperatorText(error.description))])
    }
  }
}
