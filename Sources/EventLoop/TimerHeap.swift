import Time

/// Work scheduled for a deadline; cancelling takes constant time.
package final class LoopTimer {
  let deadline: MonotonicInstant
  private var work: (() -> Void)?

  init(deadline: MonotonicInstant, work: @escaping () -> Void) {
    self.deadline = deadline
    self.work = work
  }

  /// Whether the timer has neither fired nor been cancelled.
  package var isPending: Bool { work != nil }

  /// Drops the work. No effect after the timer has fired.
  package func cancel() {
    work = nil
  }

  func fire() {
    let work = work
    self.work = nil
    work?()
  }
}

/// Timers ordered by deadline; timers of the same instant keep the order of insertion.
///
/// A binary heap; cancelled timers stay until they reach the root or make up more than half of the
/// heap.
struct TimerHeap {
  private struct Entry {
    let deadline: MonotonicInstant
    let order: UInt64
    let timer: LoopTimer

    func precedes(_ other: Entry) -> Bool {
      (deadline, order) < (other.deadline, other.order)
    }
  }

  private static let compactionThreshold = 64

  private var entries: [Entry] = []
  private var nextOrder: UInt64 = 0
  private var insertionsSinceCompaction = 0

  var count: Int { entries.count }

  var nextDeadline: MonotonicInstant? {
    mutating get {
      dropCancelled()
      return entries.first?.deadline
    }
  }

  mutating func insert(_ timer: LoopTimer) {
    compactIfMostlyCancelled()
    entries.append(Entry(deadline: timer.deadline, order: nextOrder, timer: timer))
    nextOrder += 1
    siftUp(from: entries.count - 1)
  }

  /// The sequence number of the next timer inserted.
  var nextPlace: UInt64 { nextOrder }

  /// Removes and returns the earliest timer that is due at `now` and has a sequence number below
  /// `place`. A deadline must not be earlier than the last `now`.
  mutating func popDue(at now: MonotonicInstant, setBefore place: UInt64) -> LoopTimer? {
    dropCancelled()
    guard let first = entries.first, first.deadline <= now, first.order < place else { return nil }
    removeFirst()
    return first.timer
  }

  private mutating func dropCancelled() {
    while let first = entries.first, !first.timer.isPending { removeFirst() }
  }

  private mutating func compactIfMostlyCancelled() {
    insertionsSinceCompaction += 1
    guard insertionsSinceCompaction >= max(Self.compactionThreshold, entries.count) else { return }
    insertionsSinceCompaction = 0
    let pending = entries.filter(\.timer.isPending)
    guard pending.count < entries.count / 2 else { return }
    // A sorted array is a heap.
    entries = pending.sorted { $0.precedes($1) }
  }

  private mutating func removeFirst() {
    let last = entries.removeLast()
    guard !entries.isEmpty else { return }
    entries[0] = last
    siftDown(from: 0)
  }

  private mutating func siftUp(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].precedes(entries[parent]) else { return }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown(from start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < entries.count && entries[child].precedes(entries[least]) {
        least = child
      }
      if least == parent { return }
      entries.swapAt(parent, least)
      parent = least
    }
  }
}
