import CLinux
import EventLoop

/// What a service is given by its `main`: settings, log, metrics, loops, and the lifecycle to which
/// it adds its components.
package struct ServiceProcess: Sendable {
  /// Which program this is.
  package let kind: ProcessKind
  /// The settings, checked.
  package let settings: Settings
  /// The process's log.
  package let log: Log
  /// The process's metrics.
  package let metrics: Metrics
  /// One loop for each core, or as many as `TRACKME_LOOPS` says; never empty.
  package let loops: [EventLoop]
  /// Order of start and stop; its components run on the first loop.
  package let lifecycle: Lifecycle
  /// Clocks and chance.
  package let world: World

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

  /// Runs this process to its end: reads the settings, starts the loops, lets `assemble` add the
  /// components, starts them, stops them on SIGTERM, SIGINT or SIGHUP, and exits. Call it once,
  /// from `main`, before anything starts a thread.
  package static func run(
    _ kind: ProcessKind,
    _ assemble: @escaping @Sendable (ServiceProcess) throws(StartError) -> Void
  ) -> Never {
    SignalSource.block(SignalSource.stopSignals)
    do throws(StartError) {
      let (process, output) = try make(kind)
      try process.printSettings()
      try assemble(process)
      process.begin(output)
    } catch {
      fail(error)
    }
    // All further work is on the loops' threads; the last act of the lifecycle ends the process.
    while true { pause() }
  }

  private static func make(
    _ kind: ProcessKind
  ) throws(StartError) -> (process: ServiceProcess, output: LogOutput) {
    let world = World.system
    let settings = try readSettings()
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
    let output = LogOutput.standardError(process: choices.name, now: world.now)
    let log = Log(
      process: choices.name, level: choices.level, sink: output.sink, now: world.now)
    let metrics = Metrics()
    metrics.reading(
      "trackme_log_dropped_lines", "Log lines that nobody took in time, since the start."
    ) { Double(output.droppedLines) }
    let loops = try startLoops(choices.loops)
    let process = ServiceProcess(
      kind: kind, settings: settings, log: log, metrics: metrics, loops: loops,
      lifecycle: Lifecycle(loop: loops[0], log: log, stopWithin: choices.stopWithin),
      world: world)
    return (process, output)
  }

  private static func readSettings() throws(StartError) -> Settings {
    do throws(SettingsError) {
      let (settings, operands) = try Settings.load(
        arguments: Array(CommandLine.arguments.dropFirst()), environment: processEnvironment())
      if let operand = operands.first { throw .unknownFlag(operand, nearest: []) }
      return settings
    } catch {
      throw StartError(error)
    }
  }

  private static func startLoops(_ wanted: Int) throws(StartError) -> [EventLoop] {
    let count = wanted > 0 ? wanted : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    var loops: [EventLoop] = []
    do throws(SystemError) {
      for index in 0..<count { loops.append(try EventLoop.start(name: "loop-\(index)")) }
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

  /// Between two looks for log lines that wait, and while some do.
  private static let flushPauses = (idle: Duration.seconds(1), busy: Duration.milliseconds(20))

  private func begin(_ output: LogOutput) {
    let loop = loops[0]
    loop.execute { [self] in
      RepeatingWork(on: loop) {
        output.flush() ? Self.flushPauses.idle : Self.flushPauses.busy
      }.start()
      do throws(SystemError) {
        // Kept alive by the loop, on which it is registered until the process ends.
        _ = try SignalSource(SignalSource.stopSignals, on: loop) { [self] _ in
          lifecycle.requestStop()
        }
      } catch {
        Self.fail(StartError("Signals cannot be received", error))
      }
      lifecycle.begin { code, failure in
        if let failure { output.write(Array("\(failure.description)\n".utf8)) }
        output.flush()
        // Without the handlers of exit(3): other loops still run and would use what those free.
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
