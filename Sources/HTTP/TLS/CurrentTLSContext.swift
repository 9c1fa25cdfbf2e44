import Synchronization

/// The TLS context for new connections of a server, replaceable while it runs; existing connections
/// keep theirs. From any thread.
package final class CurrentTLSContext: Sendable {
  private let context: Mutex<TLSContext>

  /// Creates it with an initial context.
  package init(_ context: TLSContext) { self.context = Mutex(context) }

  /// The context for a new connection.
  package var value: TLSContext { context.withLock { $0 } }

  /// Sets the context for new connections. Session tickets of the previous context become invalid,
  /// which costs each client one full handshake.
  package func replace(with new: TLSContext) { context.withLock { $0 = new } }
}
