import Foundation

/// The output of `--event-stream-output-path`, version 0: one JSON object per line, first the
/// existing tests with their tags, then the events of each.
package enum TestEvents {
  /// A line that violates the stream's format.
  package struct MalformedLine: Error, Equatable {
    /// The line number, starting at 1.
    package var line: Int

    /// The error for this line number.
    package init(line: Int) { self.line = line }
  }

  /// The tests of a stream, sorted by module and title. A test that began without ending, because
  /// its process died, has the result `notRun`, as does a test that the run omitted.
  package static func tests(in stream: Data) throws(MalformedLine) -> [TestRecord] {
    var records: [String: TestRecord] = [:]
    var failed: Set<String> = []
    let decoder = JSONDecoder()
    for (index, line) in stream.split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let event = try? decoder.decode(Line.self, from: line) else {
        throw MalformedLine(line: index + 1)
      }
      if event.kind == "test" {
        guard let record = record(event.payload) else { continue }
        records[record.id] = record
      } else if let id = event.payload.testID, records[id] != nil {
        if event.payload.isFailure { failed.insert(id) }
        guard let result = event.payload.result else { continue }
        records[id]?.result = failed.contains(id) ? .failed : result
      }
    }
    return records.values.sorted { ($0.module, $0.title, $0.id) < ($1.module, $1.title, $1.id) }
  }

  private static func record(_ payload: Payload) -> TestRecord? {
    guard payload.kind == "function", let id = payload.id else { return nil }
    return TestRecord(
      id: id, module: String(id.prefix { $0 != "." }),
      title: payload.displayName ?? payload.name ?? id,
      requirements: (payload._tags ?? []).map(requirement), result: .notRun)
  }

  /// Maps a tag to an identifier: `.ACC_1` to `ACC-1`. A tag of an extension may include its type's
  /// name.
  private static func requirement(_ tag: String) -> String {
    let name = tag.split(separator: ".").last.map(String.init) ?? tag
    return name.replacingOccurrences(of: "_", with: "-")
  }

  private struct Line: Decodable {
    var kind: String
    var payload: Payload
  }

  private struct Payload: Decodable {
    struct Message: Decodable { var symbol: String }
    struct Issue: Decodable { var isKnown: Bool? }

    var kind: String
    var id: String?
    var name: String?
    var displayName: String?
    var _tags: [String]?
    var testID: String?
    var messages: [Message]?
    var issue: Issue?

    var isFailure: Bool { kind == "issueRecorded" && symbol == "fail" }

    private var symbol: String? { messages?.first?.symbol }

    /// The test result of this event; nil for other events.
    var result: TestRecord.Result? {
      switch kind {
      case "testSkipped": .skipped
      case "testEnded":
        switch symbol {
        case "pass", "passWithWarnings": .passed
        case "passWithKnownIssue": .knownIssue
        default: .failed
        }
      default: nil
      }
    }
  }
}
