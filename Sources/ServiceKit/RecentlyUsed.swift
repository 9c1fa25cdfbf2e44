/// Keeps the recently used values by key: between half of `countMax` and all of it.
///
/// Two generations replace an order: when the young one is full it becomes the old one, and the
/// values of the previous old generation that were not read since are dropped. Inlined, so that it
/// is specialised for its keys.
public struct RecentlyUsed<Key: Hashable, Value> {
  @usableFromInline let generationMax: Int
  @usableFromInline var young: [Key: Value] = [:]
  @usableFromInline var old: [Key: Value] = [:]

  /// An empty cache.
  @inlinable public init(countMax: Int) {
    generationMax = max(1, countMax / 2)
  }

  /// The number of kept values.
  @inlinable public var count: Int { young.count + old.count }

  /// The value of a key; reading it keeps it.
  @inlinable public subscript(key: Key) -> Value? {
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

  @inlinable mutating func insert(_ value: Value, for key: Key) {
    if young.count >= generationMax, young[key] == nil {
      old = young
      young = [:]
    }
    young[key] = value
  }
}
