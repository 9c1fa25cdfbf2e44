import Postgres
import PostgresFixture
import Runs
import Testing

@Suite("Query plans of runs")
struct QueryPlanTests {
  @Test("the search for nearby paths uses the index on days")
  func pathsNearby() async throws {
    try await TestDatabase.with { test in
      // Three years of runs, ten a day.
      try test.run(
        """
        INSERT INTO track4run.runs (organiser_id, organiser_name, name, starts_at, enrol_until,
          ends_at, participants_max)
        SELECT 900, 'Corse', 'Milano', start, start, start + interval '1 hour', 10
          FROM generate_series('2026-01-01Z'::timestamptz, '2028-12-31Z', '144 minutes') AS start;
        INSERT INTO track4run.publications (run_id, code, end_latitude, end_longitude, published_at)
        SELECT run_id, 'C' || run_id, 45, 9, now() FROM track4run.runs;
        INSERT INTO track4run.paths (run_id, path, length_metres)
        SELECT run_id, postgis.ST_GeogFromText('LINESTRING(9.19 45.46, 9.21 45.46)'), 1560
          FROM track4run.runs;
        ANALYZE track4run.runs, track4run.publications, track4run.paths
        """)
      let path = try #require(
        test.session().rows(
          "SELECT postgis.ST_AsBinary(path)::text FROM track4run.paths LIMIT 1"
        ).first?.first ?? nil)
      let statement = try #require(
        RunStatements.all.first { $0.name == "PathsNearby" })
      let plan = try test.plan(
        of: statement, ["1", "2027-06-01T00:00:00Z", "2027-06-02T00:00:00Z", path, "25"])
      #expect(plan.contains("runs_starts_at_idx"), "\(plan)")
      #expect(plan.contains("paths_pkey"), "\(plan)")
      #expect(!plan.contains("Seq Scan"), "\(plan)")
      #expect(!plan.contains("paths_path_idx"), "\(plan)")
    }
  }
}
