import Time

/// Cached responses by cache key.
///
/// The table has two generations. A new response goes into the younger one. Once that generation
/// fills half of the table, or is old, it becomes the elder, and the previous elder is dropped as a
/// whole. Memory is therefore bounded for any number of distinct keys, and a popular response,
/// which is refreshed several times a second, is back in the younger generation at once.
package struct ResponseTable {
  private struct Generation {
    var answers: [[UInt8]: CachedResponse] = [:]
    private(set) var bytes = 0

    mutating func insert(_ answer: CachedResponse, for key: [UInt8]) {
      remove(key)
      answers[key] = answer
      bytes += answer.bytes + key.count
    }

    mutating func remove(_ key: [UInt8]) {
      guard let answer = answers.removeValue(forKey: key) else { return }
      bytes -= answer.bytes + key.count
    }
  }

  private let bytesMax: Int
  private var younger = Generation()
  private var elder = Generation()

  /// Creates an empty table of at most `bytesMax` bytes.
  package init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// The memory in use.
  package var bytes: Int { younger.bytes + elder.bytes }

  /// The response to serve; nil if a replica must be asked.
  ///
  /// A response is served only if nothing has changed since it was requested. Once it is no longer
  /// fresh, the first caller gets nil and must refresh it; the others get the old response
  /// meanwhile.
  package mutating func find(
    _ key: [UInt8], change: UInt64, at now: MonotonicInstant
  ) -> CachedResponse? {
    guard let answer = younger.answers[key] ?? elder.answers[key] else { return nil }
    guard answer.change == change, now < answer.staleUntil else {
      remove(key)
      return nil
    }
    if now < answer.freshUntil || answer.isBeingRefreshed { return answer }
    answer.isBeingRefreshed = true
    return nil
  }

  /// Stores a response, unless the table has one that was requested later.
  package mutating func keep(_ answer: CachedResponse, for key: [UInt8]) {
    let known = younger.answers[key] ?? elder.answers[key]
    if let known, known.askedAt > answer.askedAt { return }
    elder.remove(key)
    if younger.bytes + answer.bytes + key.count > bytesMax / 2 { age() }
    younger.insert(answer, for: key)
  }

  /// Drops a response whose refresh, requested at `askedAt`, failed.
  package mutating func drop(_ key: [UInt8], askedAt: MonotonicInstant) {
    let known = younger.answers[key] ?? elder.answers[key]
    guard let known, known.askedAt < askedAt else { return }
    remove(key)
  }

  /// Drops the elder generation and starts a new one.
  package mutating func age() {
    elder = younger
    younger = Generation()
  }

  private mutating func remove(_ key: [UInt8]) {
    younger.remove(key)
    elder.remove(key)
  }
}
