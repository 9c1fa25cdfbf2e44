import CLinux
import EventLoop
import Operations
import Time

/// One supervised program and its process: executes the restart policy's actions. On one loop.
final class SupervisedProcess {
  private(set) var program: SupervisedProgram
  private(set) var process: Int32?
  /// The exit status of the last run.
  private var lastStatus: ExitStatus?
  private(set) var startedAt = Instant(microsecondsSince1970: 0)
  private(set) var answersNow = false

  let loop: EventLoop
  let reaper: Reaper
  let output: OutputForwarder
  private let sockets = ListeningSockets()
  private let report: (String) -> Void
  /// Called after every change of `status`.
  private let changed: () -> Void

  /// The next process of the program, until it has taken the place of this one.
  var successor: Successor?
  /// The former process, which its successor has replaced, until it has ended.
  var leaving: Successor?
  /// How the process ended while its successor was starting.
  private var unansweredEnd: ExitStatus?

  /// While two processes answer on the same port, an answer may be that of the ending one.
  private var isHandingOver = false
  private var probeNumber = 0

  private var policy = RestartPolicy()
  private var timer: LoopTimer?
  private var probing: LoopTimer?
  private var waiting: CheckedContinuation<StartError?, Never>?
  private var stopping: CheckedContinuation<Void, Never>?

  private static let probeEvery = Duration.milliseconds(50)
  private static let watchEvery = Duration.seconds(1)

  init(
    _ program: SupervisedProgram, on loop: EventLoop, reaper: Reaper,
    report: @escaping (String) -> Void, changed: @escaping () -> Void
  ) throws(SystemError) {
    self.program = program
    self.loop = loop
    self.reaper = reaper
    self.report = report
    self.changed = changed
    output = try OutputForwarder(to: program.logPath, on: loop)
  }

  var isReady: Bool { policy.isReady && answersNow }

  /// Whether the process has been ready and is not being stopped, even if it no longer answers.
  var hasBeenReady: Bool { policy.isReady }

  /// Starts the program and returns when it is ready.
  func start() async throws(StartError) {
    let failure = await withCheckedContinuation { continuation in
      waiting = continuation
      timer = loop.schedule(after: program.readyWithin) { [self] in
        resume(
          failing: StartError(
            "\(program.name) is not ready after \(program.readyWithin.components.seconds) s: "
              + "see \(program.logPath)."))
      }
      perform(policy.begin())
    }
    if let failure { throw failure }
  }

  /// Asks the program to stop, without waiting.
  func askToStop() {
    timer?.cancel()
    probing?.cancel()
    successor?.askToStop(program, on: loop)
    sockets.close()
    perform(policy.stopRequested())
  }

  /// Stops the program and returns when all its processes have ended, also the next one that is
  /// starting and the former one that is still finishing.
  func stop() async {
    if policy.state != .over {
      await withCheckedContinuation { continuation in
        stopping = continuation
        if policy.state != .stopping { askToStop() }
      }
    }
    await successor?.untilItEnds()
    await leaving?.untilItEnds()
    output.close()
  }

  /// Kills all processes of the program that have not ended. For a supervisor that ends without
  /// waiting.
  func killAll() {
    for process in [process, successor?.running, leaving?.running] {
      if let process { program.kill(process) }
    }
  }

  /// The entry in `trackme status`.
  var status: SystemStatus.Member {
    SystemStatus.Member(
      name: program.name, process: process, startedMicroseconds: startedAt.microsecondsSince1970,
      restarts: policy.restartCount, addresses: program.addresses, isReady: isReady)
  }

  private func perform(_ action: RestartPolicy.Action) {
    defer { changed() }
    switch action {
    case .start: spawn()
    case .startAfter(let delay):
      timer = loop.schedule(after: delay) { [self] in perform(policy.delayPassed()) }
    case .fail: resume(failing: StartError(sentenceOfFailure))
    case .askToStop:
      if let process { program.askToStop(process) }
      timer = loop.schedule(after: program.stopWithin) { [self] in perform(policy.waitEnded()) }
    case .kill:
      report("\(program.name) does not stop and is killed.")
      if let process { program.kill(process) }
    case .finish:
      timer?.cancel()
      stopping?.resume()
      stopping = nil
    case .wait: break
    }
  }

  private func spawn() {
    output.forgetLastWords()
    do throws(SystemError) {
      try sockets.open(program.listens)
      let process = try start(program.order)
      self.process = process
      startedAt = Environment.system.now()
      reaper.watch(process) { [weak self] status in self?.ended(process, status) }
      probe()
    } catch {
      output.note("could not be started: \(error.description)")
      perform(policy.ended(at: loop.now))
    }
  }

  /// Starts a process with the listening sockets of this program.
  func start(_ order: ProgramOrder) throws(SystemError) -> Int32 {
    try order.start(
      .init(output: output.descriptor, errors: output.descriptor, sockets: sockets.passed))
  }

  /// The successor is ready: it takes the place of the process, which the caller ends. Returns
  /// false if the program is being stopped.
  func yield(to next: Int32, _ program: SupervisedProgram) -> Bool {
    guard policy.succeeded(at: loop.now) else { return false }
    self.program = program
    process = next
    unansweredEnd = nil
    startedAt = Environment.system.now()
    reaper.watch(next) { [weak self] status in self?.ended(next, status) }
    answersNow = true
    isHandingOver = true
    changed()
    return true
  }

  /// The former process has ended: answers count again, from the next question on.
  func handedOver() {
    isHandingOver = false
    probing?.cancel()
    if process != nil { probe() }
  }

  /// The successor has failed: an end of the process meanwhile counts now.
  func keep() {
    guard let status = unansweredEnd else { return }
    unansweredEnd = nil
    settle(status)
  }

  private func ended(_ ended: Int32, _ status: ExitStatus) {
    // A former process, which its successor has replaced.
    guard ended == process else { return }
    process = nil
    answersNow = false
    isHandingOver = false
    probing?.cancel()
    guard successor == nil || policy.state == .stopping else {
      unansweredEnd = status
      return changed()
    }
    settle(status)
  }

  /// Decides what follows the end of the process.
  private func settle(_ status: ExitStatus) {
    sockets.close()
    output.drain()
    // The last output of a crash does not state what the operator has to do.
    if case .signal = status { output.forgetLastWords() }
    lastStatus = status
    let action = policy.ended(at: loop.now)
    if case .startAfter(let delay) = action {
      let seconds = Double(delay.wholeNanoseconds) / 1e9
      report("\(program.name) \(status); it restarts in \(seconds) s.")
    }
    perform(action)
  }

  // MARK: Readiness

  private func probe() {
    let asked = process
    probeNumber += 1
    let number = probeNumber
    let (loop, question) = (loop, program.probe)
    let this = LoopBound(self, on: loop)
    loop.begin {
      let isServing = await question(loop)
      this.value.probed(asked, number, isServing)
    }
  }

  /// Ignores the answer of a process that has already ended, and to a former question.
  private func probed(_ asked: Int32?, _ number: Int, _ isServing: Bool) {
    guard let process, process == asked, number == probeNumber else { return }
    let isServing = isServing || isHandingOver
    let hasChanged = isServing != answersNow
    answersNow = isServing
    if isServing, !policy.isReady {
      policy.becameReady(at: loop.now)
      resume(failing: nil)
    }
    if hasChanged { changed() }
    let pause = policy.isReady ? Self.watchEvery : Self.probeEvery
    probing = loop.schedule(after: pause) { [self] in probe() }
  }

  private func resume(failing error: StartError?) {
    guard let waiting else { return }
    timer?.cancel()
    self.waiting = nil
    waiting.resume(returning: error)
  }

  /// The program's last line, such as the one about a port in use, is the best explanation.
  private var sentenceOfFailure: String {
    if let words = output.lastWords { return "\(program.name): \(words)" }
    let end = lastStatus?.description ?? "could not be started"
    return "\(program.name) \(end) before it was ready: see \(program.logPath)."
  }
}
