extension EventLoop {
  /// Begins async work on this loop that nobody waits for: the root of a component's start or
  /// stop, whose end reports itself. From any thread.
  package func begin(_ work: sending @escaping () async -> Void) {
    Task(executorPreference: self) { await work() }
  }
}
