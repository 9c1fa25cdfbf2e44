import Operations
import Privacy

/// A value made of data that we stored, or `internalError` with the cause for the log: unreadable
/// stored data is never the client's fault.
package func intact<Value, Failure: Error & LogSafe>(
  _ read: () throws(Failure) -> Value
) throws(ApplicationError) -> Value {
  do throws(Failure) { return try read() } catch {
    throw .internalError(error)
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
