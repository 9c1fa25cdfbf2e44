import Foundation
import Postgres
import PostgresFixture
import Requirements
import Support
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
      _ = try await onThread {
        try Migrator(files: files.filter { $0.number <= last }, url: test.url()).run()
      }
      let session = try test.session()
      try session.run(try Self.text("describe.sql"))
      return try session.rows("SELECT line FROM described").compactMap { $0.first ?? nil }
    }
    let expected = Set(try Self.text("\(name).txt").split(separator: "\n").map(String.init))
    #expect(expected.subtracting(described).sorted() == [])
    #expect(Set(described).subtracting(expected).sorted() == [])
  }

  @Test(
    "every table has a comment, and every column of numbers or bytes that is not an identifier",
    arguments: [TestDatabase.Template.data, .keys])
  func comments(_ template: TestDatabase.Template) async throws {
    try await TestDatabase.with(template) { test in
      let missing = try test.session().rows(
        """
        SELECT relation.oid::regclass || coalesce('.' || attname, '')
          FROM pg_catalog.pg_class AS relation
          JOIN pg_catalog.pg_namespace AS space ON space.oid = relnamespace
          LEFT JOIN pg_catalog.pg_attribute
            ON attrelid = relation.oid AND attnum > 0 AND NOT attisdropped
           AND attname !~ '_id$'
           AND format_type(atttypid, NULL)
                 ~ '^(smallint|integer|bigint|real|double precision|numeric|bytea)'
         WHERE relkind IN ('r', 'p') AND NOT relispartition
           AND nspname NOT IN ('pg_catalog', 'information_schema', 'postgis')
           AND (obj_description(relation.oid, 'pg_class') IS NULL
                OR attnum IS NOT NULL AND col_description(relation.oid, attnum) IS NULL)
         ORDER BY 1
        """)
      #expect(missing == [])
    }
  }
}
