import Synchronization
import Time

/// A value that only increases. From any thread, without a lock.
package final class Counter: Sendable {
  private let count = Atomic<UInt64>(0)

  /// Adds `amount`.
  package func increment(by amount: UInt64 = 1) {
    count.wrappingAdd(amount, ordering: .relaxed)
  }

  /// The current value.
  package var value: UInt64 { count.load(ordering: .relaxed) }
}

/// A value that rises and falls. From any thread, without a lock.
package final class Gauge: Sendable {
  private let number = Atomic<Int64>(0)

  /// Sets the value.
  package func set(_ value: Int64) {
    number.store(value, ordering: .relaxed)
  }

  /// Adds `amount`, which may be negative.
  package func add(_ amount: Int64) {
    number.wrappingAdd(amount, ordering: .relaxed)
  }

  /// The current value.
  package var value: Int64 { number.load(ordering: .relaxed) }
}

/// A distribution of durations over fixed buckets. From any thread, without a lock.
package final class Histogram: Sendable {
  /// Upper bounds for request durations: 0.1 ms to 10 s.
  package static let requestBounds: [Duration] = [
    .microseconds(100), .microseconds(250), .microseconds(500), .milliseconds(1),
    .microseconds(2500), .milliseconds(5), .milliseconds(10), .milliseconds(25),
    .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1),
    .milliseconds(2500), .seconds(5), .seconds(10),
  ]

  let boundsNanoseconds: [Int64]
  /// One bucket for each bound, and a last one for longer durations.
  private let buckets: [Counter]
  private let sumNanoseconds = Atomic<Int64>(0)

  init(bounds: [Duration]) {
    boundsNanoseconds = bounds.map(\.wholeNanoseconds).sorted()
    buckets = (0...bounds.count).map { _ in Counter() }
  }

  /// Counts one duration; upper bounds are inclusive.
  package func observe(_ duration: Duration) {
    let nanoseconds = duration.wholeNanoseconds
    let index = boundsNanoseconds.firstIndex { nanoseconds <= $0 } ?? boundsNanoseconds.count
    buckets[index].increment()
    sumNanoseconds.wrappingAdd(nanoseconds, ordering: .relaxed)
  }

  /// Number of durations observed.
  package var count: UInt64 { buckets.reduce(0) { $0 + $1.value } }

  var bucketCounts: [UInt64] { buckets.map(\.value) }
  var sumSeconds: Double { Double(sumNanoseconds.load(ordering: .relaxed)) / 1e9 }
}
