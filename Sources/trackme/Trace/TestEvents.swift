import Foundation

/// What a run of the tests wrote with `--event-stream-output-path`, version 0: a JSON object a
/// line, first the tests that exist (with their tags), then what happened to each.
package enum TestEvents {
  /// A line that is not what the stream promises.
  package struct MalformedLine: Error, Equatable {
    /// Counted from 1.
    package var line: Int

    /// The line with that number.
    package init(line: Int) { self.line = line }
  }

  /// The tests of a stream, sorted by module and title. A test that began and did not end (its
  /// process died) has the result `notRun`, and so has one that the run left out.
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

  /// `.ACC_1` is the tag of `ACC-1`; a tag of an extension may stand with its type's name.
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

    /// The result that this event gives; nil for an event that gives none.
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
