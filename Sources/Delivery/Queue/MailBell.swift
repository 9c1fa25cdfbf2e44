import Synchronization

/// Tells the worker of a process, on whatever loop it is, that there is mail.
package final class MailBell: Sendable {
  private let listener = Mutex<(@Sendable () -> Void)?>(nil)

  /// A bell that nobody hears yet.
  package init() {}

  /// Rings; from any thread.
  package func ring() { listener.withLock { $0 }?() }

  /// Calls `listener` at each ring from now on, in place of the one before.
  func heard(by listener: @escaping @Sendable () -> Void) {
    self.listener.withLock { $0 = listener }
  }
}
