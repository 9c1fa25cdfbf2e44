import CLinux
import EventLoop
import Operations
import Time

/// One supervised program and its process: executes the restart policy's actions. On one loop.
final class SupervisedProcess {
  let program: SupervisedProgram
  private(set) var process: Int32?
  /// The exit status of the last run.
  private var lastStatus: ExitStatus?
  private(set) var startedAt = Instant(microsecondsSince1970: 0)
  private(set) var answersNow = false

  private let loop: EventLoop
  private let reaper: Reaper
  private let output: OutputForwarder
  private let report: (String) -> Void
  /// Called after every change of `status`.
  private let changed: () -> Void

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
    perform(policy.stopRequested())
  }

  /// Stops the program and returns when it has ended.
  func stop() async {
    guard policy.state != .over else { return output.close() }
    await withCheckedContinuation { continuation in
      stopping = continuation
      if policy.state != .stopping { askToStop() }
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
      if let process { kill(process, program.stopSignal) }
      timer = loop.schedule(after: program.stopWithin) { [self] in perform(policy.waitEnded()) }
    case .kill:
      report("\(program.name) does not stop and is killed.")
      if let process { kill(process, program.killSignal) }
    case .finish:
      timer?.cancel()
      output.close()
      stopping?.resume()
      stopping = nil
    case .wait: break
    }
  }

  private func spawn() {
    output.forgetLastWords()
    do throws(SystemError) {
      let process = try program.order.start(
        .init(output: output.descriptor, errors: output.descriptor))
      self.process = process
      startedAt = Environment.system.now()
      reaper.watch(process) { [weak self] status in self?.ended(status) }
      probe()
    } catch {
      output.note("could not be started: \(error.description)")
      perform(policy.ended(at: loop.now))
    }
  }

  private func ended(_ status: ExitStatus) {
    process = nil
    answersNow = false
    probing?.cancel()
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
    let (loop, question) = (loop, program.probe)
    let this = LoopBound(self, on: loop)
    loop.begin {
      let isServing = await question(loop)
      this.value.probed(asked, isServing)
    }
  }

  /// Ignores the answer of a process that has already ended.
  private func probed(_ asked: Int32?, _ isServing: Bool) {
    guard let process, process == asked else { return }
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
