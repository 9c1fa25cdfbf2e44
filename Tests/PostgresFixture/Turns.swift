/// Lets so many tests at a time use the cluster. All tests of a process start together, and without
/// turns the connections of hundreds of them would be more than the server has.
actor Turns {
  /// Whether this task has its turn: a test that makes a second database takes none for it, or
  /// those with one each would wait for each other's second.
  @TaskLocal static var isTaken = false

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) { free = count }

  /// Does the work when it is this task's turn.
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
