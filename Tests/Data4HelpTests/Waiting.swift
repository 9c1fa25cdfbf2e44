import EventLoop

/// Polls a condition that other tasks bring about, for at most two minutes; returns whether it
/// holds. A busy machine needs long for work that an idle one does at once.
func happens(
  on loop: EventLoop, lookingEvery pause: Duration = .milliseconds(5),
  _ holds: () async throws -> Bool
) async throws -> Bool {
  let end = ContinuousClock.now + .seconds(120)
  while true {
    if try await holds() { return true }
    guard ContinuousClock.now < end else { return false }
    try await Task(executorPreference: loop) { try await loop.wait(for: pause) }.value
  }
}
