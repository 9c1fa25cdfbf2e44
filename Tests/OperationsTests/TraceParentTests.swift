import Operations
import Requirements
import Testing

private let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
private let parent = "00f067aa0ba902b7"

@Suite("The field traceparent", .tags(.OPS_8))
struct TraceParentTests {
  private func parse(_ text: String) -> TraceParent? { TraceParent(Array(text.utf8).span) }

  private func text(_ trace: TraceParent) -> String {
    var bytes: [UInt8] = []
    bytes.append(addingCapacity: TraceParent.bytes) { trace.append(to: &$0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("a trace is passed on with its flags and another parent")
  func passedOn() throws {
    let given = try #require(parse("00-\(trace)-\(parent)-01"))
    #expect(given.trace.description == trace)
    #expect(text(given) == "00-\(trace)-\(parent)-01")
    let next = given.following(RequestID(high: 1, low: 0xABCD))
    #expect(text(next) == "00-\(trace)-000000000000abcd-01")
    #expect(parse(text(next)) == next)
  }

  @Test("a later version with further parts is read as far as it is known")
  func laterVersion() {
    #expect(parse("01-\(trace)-\(parent)-01")?.trace.description == trace)
    #expect(parse("01-\(trace)-\(parent)-01-more") != nil)
    #expect(parse("01-\(trace)-\(parent)-01.more") == nil)
  }

  @Test(
    "a malformed field begins no trace",
    arguments: [
      "", "00", "00-\(trace)-\(parent)-01-more", "00-\(trace)-\(parent)-0",
      "ff-\(trace)-\(parent)-01", "00-4BF92F3577B34DA6A3CE929D0E0E4736-\(parent)-01",
      "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
      "00-\(trace)-00f067aa0ba902bg-01", "00_\(trace)-\(parent)-01",
      "00-\(trace)-\(parent)-0x",
    ])
  func malformed(_ text: String) {
    #expect(parse(text) == nil)
  }
}
