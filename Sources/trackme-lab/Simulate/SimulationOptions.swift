import Operations

/// The arguments of a simulation: the word for its kind, then options with a value each.
struct SimulationOptions {
  private var rest: ArraySlice<String>
  private let usage: String

  /// Arguments that begin with this kind; `usage` is added to the errors of its options.
  ///
  /// - Throws: `StartError` if another word comes first, or none.
  init(_ arguments: [String], of kind: String, usage: String) throws(StartError) {
    rest = arguments[...]
    self.usage = usage
    guard rest.popFirst() == kind else {
      throw StartError(
        "The first argument must be device or run.\n\(SimulateCommand.usage)\n"
          + SimulateRunCommand.usage)
    }
  }

  /// Removes the next option; nil at the end.
  ///
  /// - Throws: `StartError` if it has no value.
  mutating func next() throws(StartError) -> SimulationOption? {
    guard let name = rest.popFirst() else { return nil }
    guard let value = rest.popFirst() else { throw StartError("\(name) needs a value.\n\(usage)") }
    return SimulationOption(name: name, value: value, usage: usage)
  }
}

/// One option of a simulation.
struct SimulationOption {
  let name: String
  let value: String
  fileprivate let usage: String

  /// The value as a number in these bounds.
  ///
  /// - Throws: `StartError` for any other value.
  func number(_ bounds: ClosedRange<Int64>) throws(StartError) -> Int64 {
    guard let number = Int64(value), bounds.contains(number) else {
      throw refusal("a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    return number
  }

  /// The error for a value that is not as expected.
  func refusal(_ expectation: String) -> StartError {
    StartError("\(name) must be \(expectation), not \"\(value)\".\n\(usage)")
  }

  /// The error for an option that the simulation does not have.
  var isUnknown: StartError { StartError("\(name) is not a valid argument here.\n\(usage)") }
}
