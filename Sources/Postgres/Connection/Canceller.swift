import EventLoop

/// Sends cancellations on its own thread, because libpq opens a new connection for each and blocks.
enum Canceller {
  private static let pool = Result { () throws(SystemError) in
    try BlockingPool(name: "pg-cancel", threads: 1, queueMax: 256)
  }

  /// Asks the server to cancel. If the request cannot be sent, the statement runs to completion.
  static func send(_ cancellation: Cancellation?) {
    guard let cancellation, case .success(let pool) = pool else { return }
    _ = pool.submit { cancellation.send() }
  }
}
