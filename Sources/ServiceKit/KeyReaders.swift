import EventLoop
import Operations
import Time

/// The processes that must read a changed key file before the next step of a rotation.
package struct KeyReaders: Sendable {
  /// The pause between two looks at the processes.
  private static let pause = Duration.milliseconds(500)
  /// The time after which a process without a recent report counts as ended. Before, it may be one
  /// that could not report: if the database was unavailable, or its clock was set, living ones
  /// report again within 5 s.
  private static let settling = Duration.seconds(10)

  private let loop: EventLoop
  private let startedAt: MonotonicInstant
  private let path: String
  private let waitMax: Duration
  private let say: @Sendable (String) -> Void

  /// The readers of the file at `path`. `wait` fails after `waitMax`; `say` prints its progress.
  package init(
    on loop: EventLoop, path: String, waitMax: Duration, say: @escaping @Sendable (String) -> Void
  ) {
    self.loop = loop
    startedAt = loop.now
    self.path = path
    self.waitMax = waitMax
    self.say = say
  }

  /// Whether processes without a recent report have had the time to report.
  package var isSettled: Bool { loop.now - startedAt >= Self.settling }

  /// Waits until `lagging`, the number of living processes that have not read the file, is 0. It is
  /// passed ``isSettled``.
  ///
  /// - Throws: `StartError` after `waitMax`, if the work is cancelled, or from `lagging`.
  package func wait(
    until lagging: (_ isSettled: Bool) async throws(StartError) -> Int64
  ) async throws(StartError) {
    let end = loop.now + waitMax
    var waiting: Int64 = 0
    while true {
      let count = try await lagging(isSettled)
      guard count > 0 else { return }
      let processes = count == 1 ? "1 process" : "\(count) processes"
      if count != waiting {
        waiting = count
        say("Waiting for \(processes) to read \(path). On other machines, copy it there.")
      }
      guard loop.now < end else {
        throw StartError(
          "The file \(path) has not been read by \(processes). Copy it to their machines, and run "
            + "the command again: it continues.")
      }
      do throws(CancellationError) { try await loop.wait(for: Self.pause) } catch {
        throw StartError("The rotation was interrupted; run the command again.")
      }
    }
  }
}
