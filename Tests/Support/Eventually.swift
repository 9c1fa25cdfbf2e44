import EventLoop

/// Repeats a request until its result is not nil, and returns the result.
///
/// The usual limit is longer than a busy machine needs, and the usual pause between two requests
/// keeps a client below the rate limits of the gateway.
///
/// - Throws: `NeverHappened` at the limit, and the errors of the request.
package func eventually<Value>(
  _ what: String, within limit: Duration = .seconds(60), every rest: Duration = .milliseconds(20),
  file: String = #fileID, line: Int = #line, _ request: () async throws -> Value?
) async throws -> Value {
  let end = ContinuousClock.now + limit
  while true {
    if let value = try await request() { return value }
    guard ContinuousClock.now < end else {
      throw NeverHappened(description: "\(what): not within \(limit) (\(file), line \(line))")
    }
    try await pause(rest)
  }
}

/// Waits until a condition holds.
///
/// - Throws: `NeverHappened` at the limit, and the errors of the condition.
package func eventually(
  _ what: String, within limit: Duration = .seconds(60), every rest: Duration = .milliseconds(20),
  file: String = #fileID, line: Int = #line, _ holds: () async throws -> Bool
) async throws {
  _ = try await eventually(what, within: limit, every: rest, file: file, line: line) {
    () async throws -> Bool? in try await holds() ? true : nil
  }
}

/// A condition did not hold in time; the description names it and the place that waited.
package struct NeverHappened: Error, CustomStringConvertible {
  package let description: String
}

/// The loop of all pauses of a test process.
private let pauses = Result { try EventLoop.start(name: "pauses") }

/// Suspends the task for a time without blocking a thread.
package func pause(_ duration: Duration) async throws {
  let loop = try pauses.get()
  await withCheckedContinuation { continuation in
    loop.execute { _ = loop.schedule(after: duration) { continuation.resume() } }
  }
}
