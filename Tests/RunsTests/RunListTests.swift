import EventLoop
import Foundation
import HTTP
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Runs
import ServiceKit
import Testing
import Time
import Web

@Suite("The public list of runs")
struct RunListTests {
  /// 2026-06-01T12:00:00Z.
  private static let now = Instant(microsecondsSince1970: 1_780_315_200_000_000)

  /// Three published runs (ended, live, open), one without a path and one cancelled.
  private static let runs = """
    INSERT INTO track4run.runs
      (organiser_id, organiser_name, name, place, starts_at, enrol_until, ends_at,
       participants_max, cancelled_at)
    SELECT organiser_id, organiser_name, name, place, starts_at::timestamptz,
           starts_at::timestamptz, ends_at::timestamptz, participants_max, cancelled_at
      FROM (VALUES
        (1, 'Corse', 'Milano 10%', 'Parco Lambro',
         '2026-05-01 08:00Z', '2026-05-01 10:00Z', 10, NULL),
        (1, 'Corse', 'Roma by night', NULL,
         '2026-06-01 11:00Z', '2026-06-01 13:00Z', 10, NULL),
        (1, 'Corse', 'Milano half', 'Monza',
         '2026-07-01 08:00Z', '2026-07-01 10:00Z', 10, NULL),
        (1, 'Corse', 'No path', 'Monza',
         '2026-07-01 08:00Z', '2026-07-01 10:00Z', 10, NULL),
        (1, 'Corse', 'Cancelled', 'Monza',
         '2026-07-01 08:00Z', '2026-07-01 10:00Z', 10, now()))
        AS runs (organiser_id, organiser_name, name, place, starts_at, ends_at, participants_max,
                 cancelled_at);
    INSERT INTO track4run.publications (run_id, code, end_latitude, end_longitude, published_at)
    SELECT run_id, code, latitude, longitude, now()
      FROM track4run.runs
      JOIN (VALUES ('Milano 10%', 'AAAAAA', 45.4642, 9.19), ('Cancelled', 'EEEEEE', 45, 9),
                   ('Roma by night', 'BBBBBB', 41.9028, 12.4964),
                   ('Milano half', 'CCCCCC', 45.48, 9.2))
           AS published (name, code, latitude, longitude) USING (name);
    INSERT INTO track4run.paths (run_id, path, length_metres)
    SELECT run_id,
           postgis.ST_MakeLine(
             postgis.ST_MakePoint(end_longitude - 0.1, end_latitude),
             postgis.ST_MakePoint(end_longitude, end_latitude))::postgis.geography, 8000
      FROM track4run.publications;
    """

  private struct Page: Decodable, Sendable {
    struct Run: Decodable, Sendable {
      let code: String
      let state: String
      let picture: String?
    }
    let run: [Run]
    let next: String?
    var codes: [String] { run.map(\.code) }
  }

  private func list(_ database: Database, _ query: String) async throws -> Page {
    let environment = Environment(
      now: { Self.now }, monotonicNow: { .zero }, randomBytes: { Array(repeating: 0, count: $0) })
    let routes = RunRoutes(
      database: database, endpoints: EndpointRoutes(), environment: environment,
      links: PublicLinks(publicURL: "https://runs.example"), on: database.loop
    ).routes
    let head = RequestHead(.get, "/t4r/active/list?\(query)", authority: "test")
    let request = Request(
      head: head, query: try Query(decoding: Array(query.utf8)[...]))
    let response = try await routes[0].handler(request)
    guard case .bytes(let bytes) = response.body else { throw Missing() }
    return try JSONDecoder().decode(Page.self, from: Data(bytes))
  }

  private struct Missing: Error {}

  @Test(
    "published runs are found by code, part of a name, place and state",
    .tags(.R43, .R50, .R51),
    arguments: [
      ("", ["CCCCCC", "BBBBBB", "AAAAAA"]), ("code=bbbbbb", ["BBBBBB"]),
      ("code=bbb-bbb", ["BBBBBB"]),
      ("name=milano", ["CCCCCC", "AAAAAA"]), ("name=10%25", ["AAAAAA"]), ("name=_", []),
      ("place=lambro", ["AAAAAA"]), ("place=_", []), ("name=milano&place=MONZA", ["CCCCCC"]),
      ("near=45.4642,9.19", ["CCCCCC", "AAAAAA"]), ("near=45.4642,9.19&radius=100", ["AAAAAA"]),
      // The distance is that of the path, not of its end.
      ("near=45.4642,9.09&radius=100", ["AAAAAA"]), ("near=45.4642,9.08&radius=100", []),
      ("near=41.9028,12.4&radius=1000000&state=open", ["CCCCCC"]),
      ("state=open", ["CCCCCC"]), ("state=live", ["BBBBBB"]), ("state=ended", ["AAAAAA"]),
    ])
  func filters(query: String, codes: [String]) async throws {
    try await TestDatabase.with { test in
      try test.run(Self.runs)
      let page = try await test.onLoop(as: "track4run") { try await list($0, query) }
      #expect(page.codes == codes)
    }
  }

  @Test("a run with a picture has its URL", .tags(.R38, .R43))
  func picture() async throws {
    try await TestDatabase.with { test in
      try test.run(Self.runs)
      try test.run(
        """
        INSERT INTO track4run.pictures (run_id, kind, bytes, digest, stored_at)
        SELECT run_id, 1, 'x', sha256('x'), now() FROM track4run.runs WHERE name = 'Milano half'
        """)
      let page = try await test.onLoop(as: "track4run") { try await list($0, "") }
      #expect(
        page.run.map(\.picture) == ["https://runs.example/t4r/run/CCCCCC/picture", nil, nil])
    }
  }

  @Test("pages have neither gaps nor duplicates", .tags(.R43))
  func pages() async throws {
    try await TestDatabase.with { test in
      try test.run(Self.runs)
      let codes = try await test.onLoop(as: "track4run") { database in
        var codes: [String] = []
        var query = "limit=1"
        while true {
          let page = try await list(database, query)
          codes += page.codes
          guard let next = page.next else { return codes }
          query = "limit=1&cursor=\(next)"
        }
      }
      #expect(codes == ["CCCCCC", "BBBBBB", "AAAAAA"])
    }
  }

  @Test(
    "a radius without a point, and an invalid cursor, are refused",
    .tags(.R51),
    arguments: ["radius=5", "cursor=x", "cursor=1.0", "cursor=1", "cursor=-1000000000000000000.1"])
  func refusals(query: String) async throws {
    try await TestDatabase.with { test in
      let problem = await #expect(throws: Problem.self) {
        _ = try await test.onLoop(as: "track4run") { try await list($0, query) }
      }
      #expect(problem?.status == .badRequest)
    }
  }
}
