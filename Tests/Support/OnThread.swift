import Foundation

/// Runs blocking work on its own thread: the tests of a process share as many threads as there are
/// cores, and other tests need them meanwhile.
package func onThread<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
  }
}
