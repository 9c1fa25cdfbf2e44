import EventLoop
import Time

/// The severity of a log line, lowest first.
package enum LogLevel: String, Sendable, Comparable, CaseIterable {
  /// Useful only for debugging.
  case debug
  /// Normal events that an operator may look up later.
  case info
  /// The service still works but needs attention.
  case warning
  /// An operation failed.
  case error

  /// Whether `left` is less severe than `right`.
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

/// The only logging interface: a static message and named fields, one JSON object per line.
///
/// Messages are `StaticString`s, so that data cannot be interpolated into them. Fields are built
/// only when the level is enabled.
package struct Log: Sendable {
  /// The process name written in each line.
  package let process: String
  /// The lowest level that is written.
  package let level: LogLevel
  private let sink: LogSink
  private let now: @Sendable () -> Instant
  private var requestID: RequestID?

  /// A log for `process` that writes to `sink`.
  package init(
    process: String, level: LogLevel = .info, sink: LogSink = .standardError,
    now: @escaping @Sendable () -> Instant = Environment.system.now
  ) {
    self.process = process
    self.level = level
    self.sink = sink
    self.now = now
  }

  /// A log that writes nothing.
  package static let none = Log(process: "", level: .error, sink: LogSink { _ in })

  /// The same log with a request identifier in each line.
  package func following(_ requestID: RequestID) -> Log {
    var log = self
    log.requestID = requestID
    return log
  }

  /// Logs at level `debug`.
  package func debug(
    _ message: StaticString, _ fields: @autoclosure () -> [LogField] = []
  ) {
    write(.debug, message, fields)
  }

  /// Logs at level `info`.
  package func info(_ message: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
    write(.info, message, fields)
  }

  /// Logs at level `warning`.
  package func warning(
    _ message: StaticString, _ fields: @autoclosure () -> [LogField] = []
  ) {
    write(.warning, message, fields)
  }

  /// Logs at level `error`.
  package func error(_ message: StaticString, _ fields: @autoclosure () -> [LogField] = []) {
    write(.error, message, fields)
  }

  /// Logs a failure with its cause and the component that reports it.
  ///
  ///     log.failure("advance emergency failed", error, .safe("emergency", id))
  ///
  /// - Parameters:
  ///   - message: verb, noun and "failed", in lower case; everything variable is a field.
  ///   - cause: the error; its text holds the SQLSTATE if the database refused a statement.
  ///   - level: `warning` if the same work is attempted again without a loss.
  ///   - fields: the identifiers of the failed work.
  ///   - component: the file of the call, such as `Data4Help/DeletionWorker.swift`.
  package func failure(
    _ message: StaticString, _ cause: some LogSafe & Error, level: LogLevel = .error,
    _ fields: LogField..., component: StaticString = #fileID
  ) {
    write(level, message) {
      [.constant("component", component)] + fields + [.safe("cause", cause)]
    }
  }

  /// Writes complete lines that the caller has formatted as this log would, each with its line
  /// feed; for frequent events where building fields costs too much.
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
