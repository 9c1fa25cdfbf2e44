import CLinux
import EventLoop
import Operations

/// A process beside the one that the restart policy watches: the next one of a program while it
/// starts, or the former one while it finishes. On one loop.
final class Successor {
  /// What became of its start.
  enum Outcome {
    case ready, ended, late
  }

  let process: Int32
  /// How it ended; nil while it runs.
  private(set) var status: ExitStatus?
  private var outcome: Outcome?
  private var waiting: CheckedContinuation<Outcome, Never>?
  private var ending: [CheckedContinuation<Void, Never>] = []
  private var killing: LoopTimer?

  init(_ process: Int32) { self.process = process }

  /// Waits for the outcome of its start.
  func started() async -> Outcome {
    if let outcome { return outcome }
    return await withCheckedContinuation { waiting = $0 }
  }

  /// The first outcome counts.
  func settle(_ outcome: Outcome) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    waiting?.resume(returning: outcome)
    waiting = nil
  }

  func ended(_ status: ExitStatus) {
    self.status = status
    settle(.ended)
    killing?.cancel()
    for continuation in ending { continuation.resume() }
    ending = []
  }

  /// Asks it to stop, once, and kills it if it does not end within the time of its program.
  func askToStop(_ program: SupervisedProgram, on loop: EventLoop) {
    guard status == nil, killing == nil else { return }
    program.askToStop(process)
    killing = loop.schedule(after: program.stopWithin) { [self] in
      if status == nil { program.kill(process) }
    }
  }

  /// Its pid, until it has ended.
  var running: Int32? { status == nil ? process : nil }

  func untilItEnds() async {
    guard status == nil else { return }
    await withCheckedContinuation { ending.append($0) }
  }
}

extension SupervisedProcess {
  /// Replaces the process by the next one of `next`, which gets its listening sockets: starts it,
  /// waits until it is ready, and then ends the former one, which finishes its requests. Returns
  /// when the former one has ended. The program's name and addresses must be the same.
  ///
  /// - Throws: `StartError` if the next process ends before it is ready, or does not become ready
  ///   in time; the former one then stays. A former one that no longer answers is replaced too.
  func replace(
    by next: SupervisedProgram, _ readiness: ReadinessSocket
  ) async throws(StartError) {
    guard let former = process, hasBeenReady, successor == nil, leaving == nil else {
      throw StartError(
        "\(program.name) is starting, stopping or down, and is not replaced: see `trackme status`.")
    }
    let successor = try begin(next, readiness)
    self.successor = successor
    let timer = loop.schedule(after: next.readyWithin) { successor.settle(.late) }
    let outcome = await successor.started()
    timer.cancel()
    readiness.forget(successor.process)
    guard outcome == .ready, yield(to: successor.process, next) else {
      await end(successor, next)
      self.successor = nil
      keep()
      let failure = failure(of: successor, outcome, next)
      throw StartError("\(failure) The former process stays.")
    }
    self.successor = nil
    await endFormer(former, next)
    handedOver()
  }

  private func begin(
    _ next: SupervisedProgram, _ readiness: ReadinessSocket
  ) throws(StartError) -> Successor {
    output.forgetLastWords()
    var order = next.order
    order.arguments.append(ServiceProcess.takeOverFlag)
    order.environment[ReadyNotice.variable] = readiness.path
    do throws(SystemError) {
      let successor = Successor(try start(order))
      reaper.watch(successor.process) { successor.ended($0) }
      readiness.wait(for: successor.process) { successor.settle(.ready) }
      return successor
    } catch {
      throw StartError("The next process of \(program.name) cannot be started", error)
    }
  }

  private func end(_ successor: Successor, _ next: SupervisedProgram) async {
    successor.askToStop(next, on: loop)
    await successor.untilItEnds()
    output.drain()
  }

  /// The reaper now watches the former process for this function alone.
  private func endFormer(_ former: Int32, _ next: SupervisedProgram) async {
    // It may have crashed while its successor started.
    guard reaper.isWatched(former) else { return }
    let leaving = Successor(former)
    self.leaving = leaving
    reaper.watch(former) { leaving.ended($0) }
    leaving.askToStop(next, on: loop)
    await leaving.untilItEnds()
    self.leaving = nil
  }

  private func failure(
    of successor: Successor, _ outcome: Successor.Outcome, _ next: SupervisedProgram
  ) -> String {
    if let words = output.lastWords { return "\(next.name): \(words)" }
    guard outcome == .ended, let status = successor.status else {
      return "The next process of \(next.name) is not ready after "
        + "\(next.readyWithin.components.seconds) s: see \(next.logPath)."
    }
    return "The next process of \(next.name) \(status) before it was ready: see \(next.logPath)."
  }
}
