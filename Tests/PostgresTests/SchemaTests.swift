import Foundation
import Postgres
import PostgresFixture
import Requirements
import Testing

/// `Schema/describe.sql` describes the schema of a database as lines of text.
@Suite("The schema of the migrations")
struct SchemaTests {
  private static func text(_ name: String) throws -> String {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "Schema")
    return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  /// `data.txt` and `keys.txt` describe the schemas of the chains before 0.1.0. Later migrations
  /// change neither.
  @Test(
    "the first migrations create the schema of the chain that they replace",
    arguments: [("data", "sql", 12), ("keys", "sql/keys", 1)] as [(String, String, Int)])
  func replaced(_ name: String, _ directory: String, _ last: Int) async throws {
    let files = try MigrationFile.all(in: "\(TestDatabase.sourceDirectory)/\(directory)")
    let described = try await TestDatabase.with(.empty) { test -> [String] in
      try Migrator(files: files.filter { $0.number <= last }, url: test.url()).run()
      let session = try test.session()
      try session.run(try Self.text("describe.sql"))
      return try session.rows("SELECT line FROM described").compactMap { $0.first ?? nil }
    }
    let expected = Set(try Self.text("\(name).txt").split(separator: "\n").map(String.init))
    #expect(expected.subtracting(described).sorted() == [])
    #expect(Set(described).subtracting(expected).sorted() == [])
  }
}
