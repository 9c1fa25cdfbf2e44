import Domain
import JSON
import Time

// The JSON form of the domain's values.

extension JSONReader {
  /// Reads a string with a parser of the domain; the parser's sentence becomes the error's.
  package mutating func parsed<Value, Failure: DomainError>(
    _ parse: (Span<UInt8>) throws(Failure) -> Value
  ) throws(JSONError) -> Value {
    let outcome: Result<Value, Failure> = try stringBytes { text in
      do throws(Failure) { return .success(try parse(text)) } catch { return .failure(error) }
    }
    switch outcome {
    case .success(let value): return value
    case .failure(let error): throw refusal(error.description)
    }
  }

  /// Reads the identifier of a request.
  package mutating func requestID() throws(JSONError) -> DataRequestID {
    guard let identifier = try stringBytes({ DataRequestID(utf8: $0) }) else {
      throw refusal("A reqID is a UUID such as 123e4567-e89b-12d3-a456-426614174000.")
    }
    return identifier
  }

  /// Reads a list of the names of data types, at most 100.
  package mutating func dataTypes() throws(JSONError) -> [DataType] {
    var types: [DataType] = []
    try beginArray(countMax: 100)
    while try nextElement() {
      guard let type = try stringBytes({ DataType(name: $0) }) else {
        throw refusal("This is not a data type; use a name such as heartRate.")
      }
      types.append(type)
    }
    return types
  }

  /// Reads a date-time of RFC 3339.
  package mutating func instant() throws(JSONError) -> Instant {
    try parsed { text throws(InstantError) in try Instant(utf8: text) }
  }

  /// Reads a list of at most `countMax` numbers of accounts.
  package mutating func accounts(countMax: Int) throws(JSONError) -> [AccountID] {
    try list(of: Int.self, countMax: countMax).map { AccountID(rawValue: Int64($0)) }
  }

  /// Reads the number of an account.
  package mutating func account() throws(JSONError) -> AccountID {
    AccountID(rawValue: Int64(try integer()))
  }
}
