import HTTP
import Operations
import Privacy

/// A value made of data that we stored, or 500 with the cause for the log: unreadable data of ours
/// is never the client's fault.
package func intact<Value, Failure: Error & LogSafe>(
  _ read: () throws(Failure) -> Value
) throws(Problem) -> Value {
  do throws(Failure) { return try read() } catch {
    throw .internalError(error)
  }
}

extension Problem {
  /// 500 with its cause for the log, in a sentence of ours.
  package static func internalError(because cause: StaticString) -> Problem {
    var problem = internalError
    problem.cause = "\(cause)"
    return problem
  }
}

extension LogField {
  /// The cause of a failure, which no answer tells, or the kind of problem where it has none.
  package static func cause(_ problem: Problem) -> LogField {
    .safe("cause", OperatorText(problem.cause ?? problem.error))
  }
}

extension UniversalID: LogSafe {
  /// Its 36 characters, which tell nothing about what they identify.
  package var logText: String { description }
}

extension PrivacyError: LogSafe {
  /// One sentence; no case carries a secret.
  package var logText: String { description }
}
