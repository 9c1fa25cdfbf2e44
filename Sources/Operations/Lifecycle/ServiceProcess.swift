import CLinux
import EventLoop

/// The settings, log, metrics, loops and lifecycle that `main` passes to a service; the service
/// adds its components to the lifecycle.
package struct ServiceProcess: Sendable {
  /// The program of this process.
  package let kind: ProcessKind
  /// The settings, checked.
  package let settings: Settings
  /// The process's log.
  package let log: Log
  /// The process's metrics.
  package let metrics: Metrics
  /// One loop for each core, or the number in `TRACKME_LOOPS`; never empty.
  package let loops: [EventLoop]
  /// Starts and stops the components, on the first loop.
  package let lifecycle: Lifecycle
  /// Clocks and randomness.
  package let environment: Environment
  /// The listening sockets that the starter of this process has passed.
  package let sockets: InheritedSockets
  /// Whether this process takes the sockets over from a running one, and so accepts connections
  /// only when it can serve them.
  package let isTakingOver: Bool

  /// The argument of a process that takes over.
  package static let takeOverFlag = "--take-over"

  /// A process of these parts; `run` makes those of a program.
  package init(
    kind: ProcessKind, settings: Settings, log: Log, metrics: Metrics, loops: [EventLoop],
    lifecycle: Lifecycle, environment: Environment, sockets: InheritedSockets = .none,
    isTakingOver: Bool = false
  ) {
    self.kind = kind
    self.settings = settings
    self.log = log
    self.metrics = metrics
    self.loops = loops
    self.lifecycle = lifecycle
    self.environment = environment
    self.sockets = sockets
    self.isTakingOver = isTakingOver
  }

  /// Reads a module's own settings.
  ///
  /// - Throws: `StartError` with the sentence of the `SettingsError`.
  package func read<Value>(
    _ make: (Settings) throws(SettingsError) -> Value
  ) throws(StartError) -> Value {
    do throws(SettingsError) {
      return try make(settings)
    } catch {
      throw StartError(error)
    }
  }

  /// Runs this process until it exits: reads the settings, starts the loops, calls `assemble` to
  /// add the components, starts them, and stops them on SIGTERM, SIGINT or SIGHUP. With an argument
  /// for help or version it only prints them. Call it once from `main`, before any thread is
  /// started.
  package static func run(
    _ kind: ProcessKind,
    _ assemble: @escaping @Sendable (ServiceProcess) throws(StartError) -> Void
  ) -> Never {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let answer = ProgramHelp.answer(to: arguments, as: kind) {
      LogSink.standardOutput.write(Array("\(answer)\n".utf8))
      _exit(ExitCode.success.rawValue)
    }
    SignalSource.block(SignalSource.stopSignals)
    do throws(StartError) {
      let (process, output) = try make(kind)
      do throws(SystemError) {
        try raiseDescriptorLimit()
      } catch {
        process.log.failure("raise limit of descriptors failed", error, level: .warning)
      }
      try process.printSettings()
      try assemble(process)
      process.begin(output)
    } catch {
      fail(error)
    }
    // All further work runs on the loops' threads; the lifecycle ends the process.
    while true { pause() }
  }

  /// Raises the number of descriptors of this process to the highest allowed: the usual limit of
  /// 1,024 is for programs that use `select`, and a connection needs one or two.
  package static func raiseDescriptorLimit() throws(SystemError) {
    guard linux_raise_descriptor_limit() == 0 else { throw .last("setrlimit") }
  }

  /// The largest number of descriptors that this process may open; `max` if it can't be read.
  package static var descriptorLimit: Int {
    let limit = linux_descriptor_limit()
    return limit < 0 ? .max : limit
  }

  private static func make(
    _ kind: ProcessKind
  ) throws(StartError) -> (process: ServiceProcess, output: LogOutput) {
    let environment = Environment.system
    let (settings, isTakingOver) = try readSettings(of: kind)
    let choices: (name: String, level: LogLevel, stopWithin: Duration, loops: Int)
    do throws(SettingsError) {
      choices = (
        try settings.optional(SettingTable.processName) ?? kind.rawValue,
        LogLevel(rawValue: try settings.value(SettingTable.logLevel)) ?? .info,
        try settings.value(SettingTable.stopWithin), try settings.value(SettingTable.loops)
      )
    } catch {
      throw StartError(error)
    }
    let output = LogOutput.standardError(process: choices.name, now: environment.now)
    let log = Log(
      process: choices.name, level: choices.level, sink: output.sink, now: environment.now)
    let metrics = Metrics()
    metrics.reading(
      "trackme_log_dropped_lines", "Log lines dropped because their reader was too slow."
    ) { Double(output.droppedLines) }
    let loops = try startLoops(choices.loops, of: kind)
    let process = ServiceProcess(
      kind: kind, settings: settings, log: log, metrics: metrics, loops: loops,
      lifecycle: Lifecycle(loop: loops[0], log: log, stopWithin: choices.stopWithin),
      environment: environment, sockets: try InheritedSockets.take(), isTakingOver: isTakingOver)
    return (process, output)
  }

  private static func readSettings(
    of kind: ProcessKind
  ) throws(StartError) -> (Settings, isTakingOver: Bool) {
    do throws(SettingsError) {
      let (settings, operands) = try Settings.load(
        arguments: Array(CommandLine.arguments.dropFirst()), environment: processEnvironment(),
        commandFlags: [takeOverFlag])
      if let operand = operands.first(where: { $0 != takeOverFlag }) {
        throw .unknownFlag(operand, nearest: [])
      }
      return (settings, operands.contains(takeOverFlag))
    } catch {
      guard error.isOfArguments else { throw StartError(error) }
      throw StartError("\(error.description) `\(kind.rawValue) --help` lists all arguments.")
    }
  }

  /// Starts the loops of a program: this number, or one for each core if it is 0. Those of the
  /// gateway poll; the services share the processor with PostgreSQL, for whose answers they wait
  /// longer.
  ///
  /// - Throws: `StartError` if the system refuses a descriptor or a thread.
  package static func startLoops(
    _ wanted: Int, of kind: ProcessKind
  ) throws(StartError) -> [EventLoop] {
    let count = wanted > 0 ? wanted : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    var loops: [EventLoop] = []
    do throws(SystemError) {
      for index in 0..<count {
        loops.append(try EventLoop.start(name: "loop-\(index)", polls: kind == .gateway))
      }
    } catch {
      throw StartError("The event loops cannot be started", error)
    }
    return loops
  }

  private func printSettings() throws(StartError) {
    let rows = try read { settings throws(SettingsError) in try settings.effective(for: kind) }
    for row in rows {
      log.info(
        "setting",
        [
          .safe("name", OperatorText(row.name)), .safe("value", OperatorText(row.shown)),
          .safe("source", OperatorText(row.source.description)),
        ])
    }
  }

  /// Intervals between flushes of buffered log lines: when none are buffered, and when some are.
  private static let flushPauses = (idle: Duration.seconds(1), busy: Duration.milliseconds(20))

  private func begin(_ output: LogOutput) {
    let loop = loops[0]
    loop.execute { [self] in
      PeriodicTask(on: loop) {
        output.flush() ? Self.flushPauses.idle : Self.flushPauses.busy
      }.start()
      do throws(SystemError) {
        // The loop retains the source, which stays registered until the process ends.
        _ = try SignalSource(SignalSource.stopSignals, on: loop) { [self] _ in
          lifecycle.requestStop()
        }
      } catch {
        Self.fail(StartError("Signals cannot be received", error))
      }
      lifecycle.begin(ready: { ReadyNotice.send() }) { code, failure in
        if let failure { output.write(Array("\(failure.description)\n".utf8)) }
        output.flush()
        // Skips the handlers of exit(3): other loops still run and may use memory that the handlers
        // free.
        _exit(code.rawValue)
      }
    }
  }

  private static func fail(_ error: StartError) -> Never {
    printLine(error.description)
    _exit(ExitCode.failure.rawValue)
  }

  private static func printLine(_ line: String) {
    LogSink.standardError.write(Array("\(line)\n".utf8))
  }
}
