/// A set of data types, in one word; iterates in the order of the storage numbers.
package struct DataTypeSet: Hashable, Sendable, Sequence {
  /// Bit n represents the type with the raw value n.
  package let bits: UInt32

  /// Creates a set from its bits; bits without a type are dropped.
  package init(bits: UInt32) { self.bits = bits & Self.all.bits }

  private init(unchecked bits: UInt32) { self.bits = bits }

  /// Creates a set of these types; duplicates are allowed.
  package init(_ types: some Sequence<DataType>) {
    self.init(unchecked: types.reduce(0) { $0 | 1 << UInt32($1.rawValue) })
  }

  /// Creates a set of these types; nil if there are duplicates.
  package init?(distinct types: [DataType]) {
    self.init(types)
    if count != types.count { return nil }
  }

  /// The empty set.
  package static let none = DataTypeSet(unchecked: 0)

  /// Every type.
  package static let all = DataTypeSet(DataType.allCases)

  /// The number of types.
  package var count: Int { bits.nonzeroBitCount }

  /// Whether the set is empty.
  package var isEmpty: Bool { bits == 0 }

  /// Whether the set contains `type`.
  package func contains(_ type: DataType) -> Bool { bits & 1 << UInt32(type.rawValue) != 0 }

  /// Whether every type of this set is in `other` too.
  package func isSubset(of other: Self) -> Bool { bits & ~other.bits == 0 }

  /// The types in both.
  package func intersection(_ other: Self) -> Self { Self(unchecked: bits & other.bits) }

  /// The types in either.
  package func union(_ other: Self) -> Self { Self(unchecked: bits | other.bits) }

  /// The types of this set that are not in `other`.
  package func subtracting(_ other: Self) -> Self { Self(unchecked: bits & ~other.bits) }

  /// Iterates by storage number.
  package func makeIterator() -> Iterator { Iterator(rest: bits) }

  /// Iterates over the types of a set.
  package struct Iterator: IteratorProtocol {
    fileprivate var rest: UInt32

    /// The next type, or nil at the end.
    package mutating func next() -> DataType? {
      guard rest != 0 else { return nil }
      let type = DataType(rawValue: UInt8(rest.trailingZeroBitCount))
      rest &= rest - 1
      return type
    }
  }
}
