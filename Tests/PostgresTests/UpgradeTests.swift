import Postgres
import PostgresFixture
import Requirements
import Testing

/// What the migrations make of rows that earlier ones had left.
@Suite("Data of earlier schemas")
struct UpgradeTests {
  /// Migrates to one schema, runs a script, and migrates to the present one.
  private static func upgrade(
    from number: Int, with script: String, _ check: (AdminSession) throws -> Void
  ) async throws {
    try await TestDatabase.with(.empty) { test in
      let files = try MigrationFile.all(in: TestDatabase.sourceDirectory + "/sql")
      try Migrator(files: files.filter { $0.number <= number }, url: test.url()).run()
      try test.run(script)
      try Migrator(files: files, url: test.url()).run()
      try check(test.session())
    }
  }

  @Test("what was released before cohorts is told again, byte for byte", .tags(.GRP_1))
  func releases() async throws {
    try await Self.upgrade(
      from: 29,
      with: #"""
        INSERT INTO data4help.released_statistics (
               type, first_day, last_day, breakdown, people, members, released_at, shown_people,
               document, parts, csv)
        VALUES (1, 20000, 20001, 2, 2400, '\xff', '2026-01-01', 2400,
                '{"days":[{"date":"2024-10-04","people":2400,"mean":70},
                          {"date":"2024-10-05","people":1100,"mean":71.5}]}',
                '{"group":"F","people":1200},{"group":"M","people":1190}',
                convert_to(E'heartRate,BPM,,mean,,,2400,70.0\r\n'
                  || E'heartRate,BPM,F,mean,,,1200,71.0\r\n'
                  || E'heartRate,BPM,,day,2024-10-04,2024-10-04,2400,70.0\r\n'
                  || E'heartRate,BPM,M,mean,,,1190,69.0\r\n', 'UTF8')),
               (2, 20000, 20001, 0, 1500, '\x0f', '2026-01-02', 1500, '{"days":[]}', '',
                convert_to(E'steps,steps,,mean,,,1500,7000.0\r\n', 'UTF8'))
        """#
    ) { session in
      let kept = try session.rows(
        """
        SELECT cohort, days, replace(convert_from(csv, 'UTF8'), E'\\r\\n', '|'),
               replace(convert_from(part_csv, 'UTF8'), E'\\r\\n', '|')
          FROM data4help.released_statistics ORDER BY statistic_id
        """)
      #expect(
        kept == [
          [
            nil, "{20000,20001}",
            "heartRate,BPM,,mean,,,2400,70.0|"
              + "heartRate,BPM,,day,2024-10-04,2024-10-04,2400,70.0|",
            "heartRate,BPM,F,mean,,,1200,71.0|heartRate,BPM,M,mean,,,1190,69.0|",
          ], [nil, "{}", "steps,steps,,mean,,,1500,7000.0|", ""],
        ])
      let days = try session.rows(
        "SELECT day, people, mean FROM data4help.released_days ORDER BY cohort, day")
      #expect(days == [["20000", "2400", "70"], ["20001", "1100", "71.5"]])
      let parts = try session.rows(
        "SELECT breakdown, part, people FROM data4help.released_parts ORDER BY part")
      #expect(parts == [["2", "F", "1200"], ["2", "M", "1190"]])
    }
  }
}
