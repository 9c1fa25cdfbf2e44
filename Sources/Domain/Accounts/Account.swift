/// The kind of an account's owner (R1); the raw value is the API's `accountType`.
package enum AccountKind: String, Hashable, Sendable, CaseIterable {
  /// A person, identified by email and fiscal code.
  case singleUser = "single"
  /// A company, identified by email and P.IVA.
  case thirdParty = "tp"
}

/// The pseudonymous number of an account, the same in every table.
package struct AccountID: RawRepresentable, Hashable, Comparable, Sendable,
  CustomStringConvertible
{
  /// The stored number.
  package let rawValue: Int64

  /// The account with this number.
  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// The number in decimal.
  package var description: String { String(rawValue) }

  /// Whether the left number is the smaller one.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The sex stated by a fiscal code; the raw value is that of the API.
package enum Sex: String, Hashable, Sendable, CaseIterable {
  /// A woman.
  case female = "F"
  /// A man.
  case male = "M"
}
