import EventLoop

/// How much a log line matters, least first.
package enum LogLevel: String, Sendable, Comparable, CaseIterable {
  /// Only of use while looking for a mistake.
  case debug
  /// What an operator may want to know later.
  case info
  /// What works still, but needs somebody's attention.
  case warning
  /// What failed.
  case error

  /// Which of two levels matters less.
  package static func < (left: Self, right: Self) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .warning: 2
    case .error: 3
    }
  }
}

/// The one way to log: a fixed message and named fields, one JSON object a line.
///
/// Messages are `StaticString`s, so that nothing can be interpolated into them. Fields are built
/// only when the level is on.
package struct Log: Sendable {
  /// The name of the process in each line.
  package let process: String
  /// The least that is written.
  package let level: LogLevel
  private let sink: LogSink
  private let now: @Sendable () -> WallTime
  private var requestID: RequestID?

  /// A log of `process` into `sink`.
  package init(
    process: String, level: LogLevel = .info, sink: LogSink = .standardError,
    now: @escaping @Sendable () -> WallTime = World.system.now
  ) {
    self.process = process
    self.level = level
    self.sink = sink
    self.now = now
  }

  /// A log that writes nothing.
  package static let none = Log(process: "", level: .error, sink: LogSink { _ in })

  /// The same log with a request's number in each line.
  package func following(_ requestID: RequestID) -> Log {
    var log = self
    log.requestID = requestID
    return log
  }

  /// Logs for somebody who looks for a mistake.
  package func debug(
    _ message: StaticString, _ fields: @autoclosure () -> [LogField] = []
  ) {
    write(.debug, message, fields)
  }

  /// Logs what an operator may want to know later.
  package func info(_ message: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
    write(.info, message, fields)
  }

  /// Logs what works still, but needs attention.
  package func warning(
    _ message: StaticString, _ fields: @autoclosure () -> [LogField] = []
  ) {
    write(.warning, message, fields)
  }

  /// Logs a failure.
  package func error(_ message: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
    write(.error, message, fields)
  }

  /// Logs a failure with its cause and the component that reports it.
  ///
  ///     log.failure("advance emergency failed", error, .safe("episode", id))
  ///
  /// - Parameters:
  ///   - message: verb, noun and "failed", in lower case; everything variable is a field.
  ///   - cause: the error; its text holds the SQLSTATE where the database refused a statement.
  ///   - level: `warning` where the same work is attempted again without a loss.
  ///   - fields: the identifiers of the failed work.
  ///   - component: the file of the call, as `Data4Help/DeletionWorker.swift`.
  package func failure(
    _ message: StaticString, _ cause: some LogSafe & Error, level: LogLevel = .error,
    _ fields: LogField..., component: StaticString = #fileID
  ) {
    write(level, message) {
      [.word("component", component)] + fields + [.safe("cause", cause)]
    }
  }

  /// Writes lines that the caller has laid out whole, each with its line feed, as this log would;
  /// for what happens so often that fields are too dear.
  package func write(lines: [UInt8]) { sink.write(lines) }

  private func write(
    _ level: LogLevel, _ message: StaticString, _ fields: () -> [LogField]
  ) {
    guard level >= self.level else { return }
    let line = LogLine.render(
      level: level, time: now(), process: process, requestID: requestID, message: message,
      fields: fields())
    sink.write(line)
  }
}
