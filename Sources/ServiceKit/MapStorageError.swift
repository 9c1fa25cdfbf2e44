import Cryptography
import Operations

/// Decodes stored data, and throws `internalError` with the cause for the log: unreadable stored
/// data is never the client's fault.
package func mapStorageError<Value, Failure: Error & LogSafe>(
  _ read: () throws(Failure) -> Value
) throws(ApplicationError) -> Value {
  do throws(Failure) { return try read() } catch {
    throw .internalError(error)
  }
}

extension CryptographyError: LogSafe {
  /// One sentence; no case carries a secret.
  package var logText: String { description }
}
