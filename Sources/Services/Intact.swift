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

extension PrivacyError: LogSafe {
  /// One sentence; no case carries a secret.
  package var logText: String { description }
}
