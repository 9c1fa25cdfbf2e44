import Domain
import JSON
import PublicAPI

extension JSONReader {
  /// Reads a field that may be null.
  mutating func change<Value: Sendable>(
    _ read: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Change<Value> {
    if try null() { return .clear }
    return .set(try read(&self))
  }

  /// Reads a text that the domain parses; an error is reported in the domain's own sentence.
  mutating func parsed<Value, Failure: DomainError>(
    _ parse: (String) throws(Failure) -> Value
  ) throws(JSONError) -> Value {
    let text = try string()
    do throws(Failure) { return try parse(text) } catch { throw refusal(error.description) }
  }

  /// Reads one of the names of an enumeration.
  mutating func enumCase<Value: RawRepresentable & CaseIterable>(
    _ type: Value.Type
  ) throws(JSONError) -> Value where Value.RawValue == String {
    guard let value = Value(rawValue: try string()) else {
      throw refusal("Use one of \(Value.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    return value
  }

  /// Reads a number within bounds.
  mutating func number(
    _ bounds: ClosedRange<Double>, _ sentence: String
  ) throws(JSONError) -> Double {
    let number = try double()
    guard bounds.contains(number) else { throw refusal(sentence) }
    return number
  }
}
