import Synchronization

/// The context that new connections of a server get, replaced while it runs; connections that stand
/// keep theirs. From any thread.
package final class CurrentTLSContext: Sendable {
  private let context: Mutex<TLSContext>

  /// Begins with this context.
  package init(_ context: TLSContext) { self.context = Mutex(context) }

  /// The context for a new connection.
  package var value: TLSContext { context.withLock { $0 } }

  /// Gives new connections another context. Tickets of the one before are not taken any more, which
  /// costs their holders one full handshake.
  package func replace(with new: TLSContext) { context.withLock { $0 = new } }
}
