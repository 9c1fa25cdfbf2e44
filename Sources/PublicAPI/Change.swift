import JSON

/// The effect of a call on a stored value: an absent field leaves it unchanged, null clears it.
package enum Change<Value: Sendable>: Sendable {
  /// It stays unchanged.
  case keep
  /// It becomes empty.
  case clear
  /// It gets this value.
  case set(Value)

  /// Whether it stays unchanged.
  package var isKept: Bool {
    if case .keep = self { true } else { false }
  }

  /// The value afterwards.
  package func applied<Stored>(to stored: Stored?, _ store: (Value) -> Stored) -> Stored? {
    switch self {
    case .keep: stored
    case .clear: nil
    case .set(let value): store(value)
    }
  }
}

extension JSONForm {
  /// A change to a value of this form: null clears it.
  package var changed: JSONForm<Change<Value>> {
    JSONForm<Change<Value>>(schema.nullable) { (reader) throws(JSONError) in
      try reader.null() ? .clear : .set(read(&reader))
    }
  }
}

extension JSONForm<Change<Double>> {
  /// A changed number.
  static var changedNumber: Self {
    JSONForm<Double>(.number()).changed
  }
}
