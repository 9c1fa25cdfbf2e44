/// Values by key, of which the recently used ones are kept: between half of `countMax` and all of
/// it.
///
/// Two generations replace an order: when the young one is full it becomes the old one, and the
/// values of the previous old generation that were not read since are dropped.
package struct RecentlyUsed<Key: Hashable, Value> {
  private let generationMax: Int
  private var young: [Key: Value] = [:]
  private var old: [Key: Value] = [:]

  /// An empty cache.
  package init(countMax: Int) {
    generationMax = max(1, countMax / 2)
  }

  /// The number of kept values.
  package var count: Int { young.count + old.count }

  /// The value of a key; reading it keeps it.
  package subscript(key: Key) -> Value? {
    mutating get {
      if let value = young[key] { return value }
      guard let value = old.removeValue(forKey: key) else { return nil }
      insert(value, for: key)
      return value
    }
    set {
      old[key] = nil
      if let newValue { insert(newValue, for: key) } else { young[key] = nil }
    }
  }

  private mutating func insert(_ value: Value, for key: Key) {
    if young.count >= generationMax, young[key] == nil {
      old = young
      young = [:]
    }
    young[key] = value
  }
}
