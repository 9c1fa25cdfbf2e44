/// The comparison of a search parameter (R26), as written.
package enum SearchComparison: String, Hashable, Sendable, CaseIterable {
  /// Less.
  case less = "<"
  /// Less or equal.
  case atMost = "<="
  /// Equal.
  case equal = "="
  /// Greater or equal.
  case atLeast = ">="
  /// Greater.
  case greater = ">"

  /// Whether `left` has this relation to `right`.
  package func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
    switch self {
    case .less: left < right
    case .atMost: left <= right
    case .equal: left == right
    case .atLeast: left >= right
    case .greater: left > right
    }
  }
}
