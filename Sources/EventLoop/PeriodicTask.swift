/// A periodic task on one loop, repeated until it is stopped.
///
/// Each turn returns the pause before the next; `wake` ends the pause early. `stop` waits for the
/// current turn.
// SAFETY: confined to its loop, which every entry point asserts; `wake` moves to the loop first.
package final class PeriodicTask: @unchecked Sendable {
  private let loop: EventLoop
  private let turn: @Sendable () async -> Duration
  private var isRunning = false
  private var isStopping = false
  private var isWoken = false
  private var resting: CheckedContinuation<Void, Never>?
  private var waitingForEnd: [CheckedContinuation<Void, Never>] = []

  /// A task on `loop`; `turn` returns the pause until the next turn.
  package init(on loop: EventLoop, turn: @escaping @Sendable () async -> Duration) {
    self.loop = loop
    self.turn = turn
  }

  /// Starts the first turn. On the loop, once.
  package func start() {
    loop.assertCurrent()
    guard !isRunning else { return }
    isRunning = true
    loop.begin { [self] in await run() }
  }

  /// Starts the next turn immediately. From any thread.
  package func wake() {
    loop.execute { [self] in
      isWoken = true
      endRest()
    }
  }

  /// Stops the task; returns when the current turn has ended. On the loop.
  package func stop() async {
    loop.assertCurrent()
    isStopping = true
    endRest()
    guard isRunning else { return }
    await withCheckedContinuation { waitingForEnd.append($0) }
  }

  /// Whether `stop` was called, so that a long turn can end early. On the loop.
  package var isEnding: Bool { isStopping }

  private func run() async {
    while !isStopping {
      isWoken = false
      let pause = await turn()
      await rest(pause)
    }
    isRunning = false
    for continuation in waitingForEnd { continuation.resume() }
    waitingForEnd = []
  }

  private func rest(_ pause: Duration) async {
    guard !isStopping, !isWoken else { return }
    let timer = loop.schedule(after: pause) { [self] in endRest() }
    await withCheckedContinuation { resting = $0 }
    timer.cancel()
  }

  private func endRest() {
    resting?.resume()
    resting = nil
  }
}
