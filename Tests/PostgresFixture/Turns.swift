/// Limits how many tests use the cluster at the same time. All tests of a process start together,
/// and without a limit hundreds of them would exceed the server's connections.
actor Turns {
  /// Whether this task has its turn. A test that creates a second database takes no second turn,
  /// because tests that hold one each could deadlock.
  @TaskLocal static var isTaken = false

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  /// Runs the work when it is this task's turn.
  nonisolated func take<Value>(_ work: () async throws -> Value) async throws -> Value {
    if Self.isTaken { return try await work() }
    await begin()
    let result: Result<Value, any Error>
    do {
      result = .success(try await Self.$isTaken.withValue(true, operation: work))
    } catch {
      result = .failure(error)
    }
    await end()
    return try result.get()
  }

  private func begin() async {
    guard free == 0 else { return free -= 1 }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func end() {
    guard !waiting.isEmpty else { return free += 1 }
    waiting.removeFirst().resume()
  }
}
