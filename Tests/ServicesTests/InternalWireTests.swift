import Domain
import JSON
import Requirements
import Services
import Testing

@Suite("What Track4Run and Data4Help tell each other")
struct InternalWireTests {
  private let time = Timestamp(millisecondsSince1970: 1_795_003_200_000)
  private let requestID = DataRequestID(high: 1, low: UInt64.max)

  /// What is read of what was written.
  private func again<Value: JSONReadable & JSONWritable>(_ value: Value) throws -> Value {
    var writer = JSONWriter()
    writer.value(value)
    return try JSONReader.read(Value.self, from: writer.bytes)
  }

  @Test("a batch of check-in requests is read as it was written", .tags(.R39))
  func batch() throws {
    let batch = CheckInBatch(
      organiser: AccountID(rawValue: .max), runName: "Giro «del» \"lago\"", startsAt: time,
      endsAt: time.adding(seconds: 3600),
      runners: [CheckInBatch.Runner(requestID, AccountID(rawValue: 7))])
    #expect(try again(batch) == batch)
  }

  @Test("every outcome is read as it was written")
  func outcomes() throws {
    let outcomes = CheckInOutcomes(CheckInOutcome.allCases)
    #expect(try again(outcomes) == outcomes)
    #expect(throws: JSONError.self) {
      try JSONReader.read(CheckInOutcomes.self, from: Array("{\"outcomes\":[\"lost\"]}".utf8))
    }
  }

  @Test("a list of 500 requests to take back is read, one of 501 is not")
  func ends() throws {
    let most = CheckInEnds(Array(repeating: requestID, count: 500))
    #expect(try again(most) == most)
    #expect(throws: JSONError.self) {
      try again(CheckInEnds(Array(repeating: requestID, count: 501)))
    }
  }
}
