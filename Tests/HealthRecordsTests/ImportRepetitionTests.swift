import Data4HelpFixture
import Domain
import Foundation
import HealthRecords
import Operations
import PostgresFixture
import Requirements
import Testing

@Suite("Imports with an Idempotency-Key, and immediate refusals")
struct ImportRepetitionTests {
  private func imports(_ test: HealthDataTest) throws -> Int? {
    try test.value("SELECT count(*) FROM data4help.imports").flatMap { Int($0) }
  }

  @Test("a repetition has the first answer, without a second import", .tags(.NFR_4))
  func repetition() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let pieces = generatedExport(200_000)
      let first = try await test.startImport(pieces, as: account, idempotencyKey: "a")
      #expect(first.status == 202)
      // During the merge of the first, and afterwards; the chunks may differ.
      let whole = [pieces.flatMap { $0 }]
      let second = try await test.startImport(whole, as: account, idempotencyKey: "a")
      try await test.merge()
      let third = try await test.startImport(whole, as: account, idempotencyKey: "a")
      for answer in [second, third] {
        #expect((answer.status, answer.text) == (first.status, first.text))
      }
      #expect(try imports(test) == 1)
      #expect(try test.value("SELECT count(*) FROM data4help.imports WHERE state = 2") == "1")
      // Another key is another import, and so is the same key from another account.
      let other = try await test.startImport(pieces, as: account, idempotencyKey: "b")
      let stranger = try await test.newAccount()
      let theirs = try await test.startImport(pieces, as: stranger, idempotencyKey: "a")
      #expect((other.status, theirs.status) == (202, 202))
      #expect(try imports(test) == 3)
    }
  }

  @Test("the same file declared as another format is 422 under the same key")
  func otherFormat() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let pieces = generatedExport(50_000)
      _ = try await test.startImport(pieces, as: account, idempotencyKey: "a")
      try await test.merge()
      let refused = try await test.startImport(pieces, .gpx, as: account, idempotencyKey: "a")
      #expect(refused.status == 422)
      #expect(try imports(test) == 1)
    }
  }

  @Test("another file under the same key is 422 Key reused")
  func otherBody() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let pieces = generatedExport(100_000)
      _ = try await test.startImport(pieces, as: account, idempotencyKey: "a")
      try await test.merge()
      let other = pieces + [[0x20]]
      let refused = try await test.startImport(other, as: account, idempotencyKey: "a")
      #expect(refused.status == 422)
      #expect(try imports(test) == 1)
    }
  }

  @Test("while the first still streams in, the second is 409")
  func concurrent() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let pieces = generatedExport(50_000)
      _ = try await test.startImport(pieces, as: account, idempotencyKey: "a")
      // As if it were still arriving: no answer was sent, and none stored.
      try test.data.run(
        "UPDATE data4help.imports SET state = 0; DELETE FROM data4help.idempotent_answers")
      let second = try await test.startImport(pieces, as: account, idempotencyKey: "a")
      #expect(second.status == 409)
      #expect(try imports(test) == 1)
    }
  }

  @Test(
    "a malformed file under a key fails once, and its repetition has the same answer", .tags(.DAT_6)
  )
  func malformed() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let pieces = [Array("<HealthData></a>".utf8), Array("and more".utf8)]
      let first = try await test.startImport(pieces, as: account, idempotencyKey: "a")
      let second = try await test.startImport(pieces, as: account, idempotencyKey: "a")
      #expect(first.status == 202 && first.text == second.text)
      let id = try #require(first.object["importID"] as? String)
      #expect(try await test.readImport(id, as: account).state == "failed")
      let other = [pieces[0], Array("or else".utf8)]
      let refused = try await test.startImport(other, as: account, idempotencyKey: "a")
      #expect(refused.status == 422)
      #expect(try imports(test) == 1)
    }
  }

  @Test("of several at the same time one imports, and the others wait or repeat", .tags(.NFR_4))
  func race() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let pieces = generatedExport(50_000)
      let answers = try await withThrowingTaskGroup(of: Reply.self) { group in
        for _ in 0..<8 {
          group.addTask {
            try await test.startImport(pieces, as: account, idempotencyKey: "a")
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let taken = answers.filter { $0.status == 202 }
      #expect(Set(taken.map(\.text)).count == 1)
      #expect(answers.allSatisfy { [202, 409].contains($0.status) })
      #expect(try imports(test) == 1)
    }
  }

  @Test("an empty file is refused at once", .tags(.DAT_6))
  func empty() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      for key in [nil, "a"] {
        let refused = try await test.startImport([], as: account, idempotencyKey: key)
        #expect(refused.status == 400)
      }
      #expect(try imports(test) == 0)
      let taken = try await test.startImport(
        generatedExport(50_000), as: account, idempotencyKey: "a")
      #expect(taken.status == 202)
    }
  }

  @Test("an import with an unreadable report fails, and is logged")
  func unreadableReport() async throws {
    let recorder = LogRecorder()
    try await HealthDataTest.run(log: Log(process: "test", sink: recorder.sink)) { test in
      let account = try await test.newAccount()
      let started = try await test.startImport(generatedExport(50_000), as: account)
      let id = try #require(started.object["importID"] as? String)
      try test.data.run("UPDATE data4help.imports SET sealed_report = 'x'")
      try await test.merge()
      #expect(try await test.readImport(id, as: account).state == "failed")
    }
    let line = try #require(recorder.lines.first { $0.contains("read import report failed") })
    #expect(line.contains(#""component":"HealthRecords/ImportWorker.swift""#))
    #expect(line.contains(#""import_id":"#) && line.contains(#""cause":"#))
  }
}
