import EventLoop

/// Sends cancellations from a thread of its own: libpq connects anew for each and waits.
enum Canceller {
  private static let pool = Result { () throws(SystemError) in
    try BlockingPool(name: "pg-cancel", threads: 1, queueMax: 256)
  }

  /// Asks the server to cancel. If that cannot be sent, the statement runs to its end in vain.
  static func send(_ cancellation: Cancellation?) {
    guard let cancellation, case .success(let pool) = pool else { return }
    _ = pool.submit { cancellation.send() }
  }
}
