import Emergencies
import EventLoop
import Foundation
import Operations
import Requirements
import Support
import Synchronization
import Testing

@Suite("The journal of aborts", .tags(.SOS_4, .NFR_4))
struct AbortJournalTests {
  private static let ids = (1...9).map { "123e4567-e89b-12d3-a456-42661417400\($0)" }

  /// A line of the journal.
  private static func line(_ text: String) -> String {
    let digits = String(FNV1a.hash(text), radix: 16)
    return "\(text) \(String(repeating: "0", count: 16 - digits.count))\(digits)\n"
  }

  private static func aborted(_ index: Int) -> String {
    let second: Int64 = 1_700_000_000_000_000
    return line(
      "aborted \(ids[index]) \(40 + index) 2 \(second / 1000) \(second) \(second + 5_000_000) "
        + "\(second + 4_000_000)")
  }

  /// Runs `body` with a temporary empty directory, the file of the first process in it, and records
  /// to write.
  private func with(
    _ body: (_ directory: String, _ file: String, [AbortRecord]) async throws -> Void
  ) async throws {
    let directory = FileManager.default.temporaryDirectory.path + "/journal-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try FileSystem.makeDirectories(directory)
    let file = "\(directory)/1"
    try Self.ids.indices.map(Self.aborted).joined().write(
      toFile: file, atomically: false, encoding: .utf8)
    let records = try Self.recovered(directory)
    try #require(records.count == Self.ids.count)
    try FileManager.default.removeItem(atPath: file)
    try await body(directory, file, records.sorted { $0.account < $1.account })
  }

  /// The records found by a starting process.
  private static func recovered(_ directory: String) throws -> [AbortRecord] {
    let journal = try AbortJournal(directory: directory)
    defer { journal.close() }
    return try journal.recover()
  }

  private static func text(_ file: String) throws -> String {
    try String(contentsOfFile: file, encoding: .utf8)
  }

  @Test("an abort survives the process until it is stored, and nothing else is written")
  func life() async throws {
    try await with { directory, file, records in
      let journal = try AbortJournal(directory: directory)
      for record in records.prefix(3) { try await journal.add(record) }
      #expect(try Self.text(file) == (0..<3).map(Self.aborted).joined())
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      journal.remove(records[1].id)
      try await eventually("the removed record", within: .seconds(120)) {
        try Self.text(file).hasSuffix(Self.line("stored \(Self.ids[1])"))
      }
      journal.close()
      #expect(Set(try Self.recovered(directory).map(\.id)) == [records[0].id, records[2].id])
      let again = try AbortJournal(directory: directory)
      #expect(try again.recover().count == 2)
      for record in [records[0], records[2]] { again.remove(record.id) }
      try await eventually("an empty journal", within: .seconds(120)) {
        try Self.text(file).isEmpty
      }
      again.close()
      #expect(try Self.recovered(directory).isEmpty)
    }
  }

  @Test(
    "a truncated last record and a damaged one hide no other",
    arguments: [
      "aborted 123e4567-e89b-12d3-a456-426614174009 4", "aborted x 1 2\n", "\0\0\u{FFFD}",
    ])
  func torn(_ rest: String) async throws {
    try await with { directory, file, records in
      let damaged = Self.aborted(3).replacing(" 43 ", with: " 44 ")
      try (Self.aborted(0) + damaged + Self.aborted(1) + rest).write(
        toFile: file, atomically: false, encoding: .utf8)
      let journal = try AbortJournal(directory: directory)
      #expect(Set(try journal.recover()) == Set(records.prefix(2)))
      try await journal.add(records[2])
      journal.close()
      #expect(Set(try Self.recovered(directory)) == Set(records.prefix(3)))
    }
  }

  @Test("an abort that does not fit on the disk is refused, and leaves nothing")
  func fullDisk() async throws {
    try await with { directory, file, records in
      let isFull = Atomic(false)
      let journal = try AbortJournal(directory: directory) {
        (bytes, descriptor) throws(SystemError) in
        guard isFull.load(ordering: .acquiring) else {
          return try FileSystem.write(bytes, to: descriptor)
        }
        try FileSystem.write(Array(bytes.prefix(20)), to: descriptor)
        throw SystemError(call: "write", code: ENOSPC)
      }
      try await journal.add(records[0])
      isFull.store(true, ordering: .releasing)
      await #expect(throws: SystemError(call: "write", code: ENOSPC)) {
        try await journal.add(records[1])
      }
      #expect(try Self.text(file) == Self.aborted(0))
      isFull.store(false, ordering: .releasing)
      try await journal.add(records[1])
      journal.close()
      #expect(Set(try Self.recovered(directory)) == Set(records.prefix(2)))
    }
  }

  @Test("it never exceeds its bound, and refuses records beyond it")
  func bounded() async throws {
    try await with { directory, file, records in
      let bytesMax = 3 * Self.aborted(0).utf8.count
      let journal = try AbortJournal(directory: directory, bytesMax: bytesMax)
      try await journal.add(records[0])
      for _ in 0..<20 {
        try await journal.add(records[1])
        journal.remove(records[1].id)
      }
      try await eventually("the removals", within: .seconds(120)) {
        journal.records == [records[0]]
      }
      for record in records[1...2] { try await journal.add(record) }
      #expect(try Self.text(file).utf8.count <= bytesMax)
      await #expect(throws: SystemError.self) { try await journal.add(records[3]) }
      journal.close()
      #expect(Set(try Self.recovered(directory)) == Set(records.prefix(3)))
    }
  }

  @Test("each process has its own file, and a starting one takes over those of ended ones")
  func several() async throws {
    try await with { directory, _, records in
      let journals = try (0..<3).map { _ in try AbortJournal(directory: directory) }
      for (journal, record) in zip(journals, records) { try await journal.add(record) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 3)
      // A running process keeps its own file.
      journals[0].close()
      journals[2].close()
      let next = try AbortJournal(directory: directory)
      #expect(Set(try next.recover()) == [records[0], records[2]])
      next.close()
      journals[1].close()
      #expect(Set(try Self.recovered(directory)) == Set(records.prefix(3)))
    }
  }

  @Test("a file that can't be taken over hides no other, is logged, and is kept")
  func unreadableFile() async throws {
    try await with { directory, _, records in
      let bytesMax = 3 * Self.aborted(0).utf8.count
      let large = String(repeating: "x", count: 2 * bytesMax + 1)
      for (number, text) in [(1, Self.aborted(0)), (2, large), (3, Self.aborted(1))] {
        try text.write(toFile: "\(directory)/\(number)", atomically: false, encoding: .utf8)
      }
      let recorder = LogRecorder()
      let journal = try AbortJournal(
        directory: directory, bytesMax: bytesMax, log: Log(process: "test", sink: recorder.sink))
      #expect(Set(try journal.recover()) == Set(records.prefix(2)))
      journal.close()
      #expect(recorder.lines.count { $0.contains("take over abort journal failed") } == 1)
      #expect(try Self.text("\(directory)/2") == large)
    }
  }

  @Test("a directory that can't be created refuses the abort, and is retried")
  func noDirectory() async throws {
    try await with { directory, file, records in
      try "".write(toFile: file, atomically: false, encoding: .utf8)
      let journal = try AbortJournal(directory: file + "/aborts")
      #expect(throws: SystemError.self) { try journal.recover() }
      await #expect(throws: SystemError.self) { try await journal.add(records[0]) }
      try FileManager.default.removeItem(atPath: file)
      try await journal.add(records[0])
      #expect(journal.records == [records[0]])
      journal.close()
    }
  }
}
