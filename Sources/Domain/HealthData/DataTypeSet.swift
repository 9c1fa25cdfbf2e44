/// A set of data types, in one word; iterates in the order of the storage numbers.
package struct DataTypeSet: Hashable, Sendable, Sequence {
  /// Bit n stands for the type with the raw value n.
  package let bits: UInt32

  /// The set with these bits; bits that stand for no type are dropped.
  package init(bits: UInt32) { self.bits = bits & Self.all.bits }

  private init(unchecked bits: UInt32) { self.bits = bits }

  /// The set of these types, however often each is named.
  package init(_ types: some Sequence<DataType>) {
    self.init(unchecked: types.reduce(0) { $0 | 1 << UInt32($1.rawValue) })
  }

  /// The set of these types, or nil where one is named twice.
  package init?(distinct types: [DataType]) {
    self.init(types)
    if count != types.count { return nil }
  }

  /// No type.
  package static let none = DataTypeSet(unchecked: 0)

  /// Every type.
  package static let all = DataTypeSet(DataType.allCases)

  /// How many types it holds.
  package var count: Int { bits.nonzeroBitCount }

  /// Whether it holds no type.
  package var isEmpty: Bool { bits == 0 }

  /// Whether it holds `type`.
  package func contains(_ type: DataType) -> Bool { bits & 1 << UInt32(type.rawValue) != 0 }

  /// Whether every type of it is in `other` too.
  package func isSubset(of other: Self) -> Bool { bits & ~other.bits == 0 }

  /// The types in both.
  package func intersection(_ other: Self) -> Self { Self(unchecked: bits & other.bits) }

  /// The types in either.
  package func union(_ other: Self) -> Self { Self(unchecked: bits | other.bits) }

  /// The types of it that are not in `other`.
  package func subtracting(_ other: Self) -> Self { Self(unchecked: bits & ~other.bits) }

  /// The types, from the smallest storage number on.
  package func makeIterator() -> Iterator { Iterator(rest: bits) }

  /// Gives the types of a set one by one.
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
