import EventLoop
import Foundation

/// The event loop for the clients of all journeys.
let clientLoop = Result { try EventLoop.start(name: "journeys") }

/// Polls until the result is not nil; fails at the timeout.
func eventually<Value: Sendable>(
  _ what: String, within limit: Duration = .seconds(60),
  isolation: isolated (any Actor)? = #isolation, _ ask: () async throws -> Value?
) async throws -> Value {
  let end = ContinuousClock.now + limit
  while true {
    if let value = try await ask() { return value }
    guard ContinuousClock.now < end else {
      throw FixtureProblem("\(what) did not happen within \(limit).")
    }
    try await pause(.milliseconds(20))
  }
}

/// Pauses between two polls.
func pause(_ duration: Duration) async throws {
  let loop = try clientLoop.get()
  await withCheckedContinuation { continuation in
    loop.execute { _ = loop.schedule(after: duration) { continuation.resume() } }
  }
}
