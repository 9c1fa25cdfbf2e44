extension EventLoop {
  /// Starts async work on this loop without awaiting it: the root task of a component's start or
  /// stop, which reports its own end. From any thread.
  package func begin(_ work: sending @escaping () async -> Void) {
    Task(executorPreference: self) { await work() }
  }
}
