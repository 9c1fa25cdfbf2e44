import Cryptography
import Domain
import Installation
import Operations
import Postgres
import ServiceKit
import Time

/// The past runs of the town with their results, written directly: no endpoint creates a run that
/// has begun.
///
/// They are closed, so no worker of Track4Run acts on them. The runners' check-ins have no request
/// in Data4Help and no positions: results and ranks are shown, tracks are not.
struct SandboxPastRuns {
  private let run: WeeklyRun
  private let zone: TimeZoneRules
  private let root: RootSecret
  private let session: AdminSession

  /// - Throws: `StartError` if the secret can't be read or the database can't be reached.
  init(
    _ run: WeeklyRun, in zone: TimeZoneRules, _ installation: Installation
  ) throws(StartError) {
    (self.run, self.zone) = (run, zone)
    root = try installation.settings.rootSecret()
    let url = try DatabaseURLs(installation).url(.track4run, .trackme)
    do throws(AdminSessionError) {
      session = try AdminSession(
        url: url.revealed, applicationName: "trackme-lab sandbox")
    } catch {
      throw StartError(databaseUnavailable: error)
    }
  }

  /// Creates all past runs, or none if the organiser has some already; returns their number.
  ///
  /// - Throws: `StartError` if the database refuses.
  func make(by club: AccountID) throws(StartError) -> Int {
    do throws(AdminSessionError) {
      let known = try session.rows(
        """
        SELECT 1 FROM track4run.runs
         WHERE organiser_id = $1::bigint AND starts_at < now() LIMIT 1
        """, ["\(club.rawValue)"])
      guard known.isEmpty else { return 0 }
      let sundays = run.pastDays.map { day in
        Sunday(
          start: WeeklyRun.start(on: day, in: zone), code: Self.code(of: day), run.results(on: day))
      }
      .filter { !$0.results.isEmpty }
      guard !sundays.isEmpty else { return 0 }
      try session.run("BEGIN")
      let numbers = try storeRuns(sundays, by: club)
      let stored = zip(numbers, sundays).map { StoredSunday(runID: $0, sunday: $1) }
      try storePaths(stored)
      try storeEnrolments(stored)
      try storeResults(stored)
      try session.run("COMMIT")
      return sundays.count
    } catch {
      throw StartError(databaseUnavailable: error)
    }
  }

  /// A run of the past.
  private struct Sunday {
    let start: Instant
    let code: String
    /// The results by rank, with the runners' numbers.
    let results: [(number: Int, result: WeeklyRun.Result)]

    /// The runners have joined in the order of their accounts.
    init(start: Instant, code: String, _ results: [WeeklyRun.Result]) {
      let joined = results.map(\.citizen.number).sorted()
      (self.start, self.code) = (start, code)
      self.results = results.map { result in
        (1 + (joined.firstIndex(of: result.citizen.number) ?? 0), result)
      }
    }
  }

  private struct StoredSunday {
    let runID: Int64
    let sunday: Sunday
  }

  /// The same code for the same day.
  private static func code(of day: CalendarDate) -> String {
    var random = DeterministicRandom(0, .race, day.daysSince1970)
    let bytes = (0..<RunCode.length).map { _ in UInt8(random.whole(0...255)) }
    return RunCode(random: bytes).description
  }
}

// MARK: Rows

extension SandboxPastRuns {
  /// Returns the numbers of the runs in the order of the Sundays.
  private func storeRuns(
    _ sundays: [Sunday], by club: AccountID
  ) throws(AdminSessionError) -> [Int64] {
    let rows = try session.rows(
      """
      INSERT INTO track4run.runs
             (organiser_id, organiser_name, name, description, place, starts_at, enrol_until,
              ends_at, participants_max, enrolled, last_number, check_in_at, start_handled_at,
              closed_at)
      SELECT $1::bigint, $2::text, $3::text, 'Every Sunday at nine, along the Adda and back.',
             'Lodi', starts_at, starts_at, starts_at + $4::integer * INTERVAL '1 second',
             $5::integer, enrolled, enrolled, starts_at - INTERVAL '9 hours', starts_at,
             starts_at + ($4::integer + 60) * INTERVAL '1 second'
        FROM unnest($6::timestamptz[], $7::integer[]) AS past (starts_at, enrolled)
       ORDER BY starts_at
      RETURNING run_id
      """,
      [
        "\(club.rawValue)", SandboxParties.clubName, WeeklyRun.name, "\(WeeklyRun.seconds)",
        "\(WeeklyRun.participantsMax)", ArrayLiteral.plain(sundays.map(\.start)),
        ArrayLiteral.plain(sundays.map(\.results.count)),
      ])
    // The numbers are assigned in the order of the starts.
    return rows.compactMap { $0.first.flatMap { $0 }.flatMap { Int64($0) } }.sorted()
  }

  private func storePaths(_ stored: [StoredSunday]) throws(AdminSessionError) {
    let corners = run.path.points.map { "\($0.longitude) \($0.latitude)" }
    let runs = ArrayLiteral.plain(stored.map(\.runID))
    _ = try session.rows(
      """
      INSERT INTO track4run.paths (run_id, path, length_metres)
      SELECT run_id, postgis.ST_GeogFromText($2), $3::float8
        FROM unnest($1::bigint[]) AS past (run_id)
      """, [runs, "LINESTRING(\(corners.joined(separator: ",")))", "\(run.metres)"])
    _ = try session.rows(
      """
      INSERT INTO track4run.publications
             (run_id, code, end_latitude, end_longitude, published_at)
      SELECT run_id, code, $3::float8, $4::float8, starts_at - INTERVAL '6 days'
        FROM unnest($1::bigint[], $2::text[]) AS past (run_id, code)
        JOIN track4run.runs USING (run_id)
      """,
      [
        runs, ArrayLiteral.plain(stored.map(\.sunday.code)), "\(run.path.finish.latitude)",
        "\(run.path.finish.longitude)",
      ])
  }

  private func storeEnrolments(_ stored: [StoredSunday]) throws(AdminSessionError) {
    let key = SealingKey(runnerNamesOf: root)
    var (runs, numbers, accounts): ([Int64], [Int], [Int64]) = ([], [], [])
    var names: [[UInt8]] = []
    for entry in stored {
      for (number, result) in entry.sunday.results {
        let account = SandboxPeople.account(of: result.citizen).rawValue
        runs.append(entry.runID)
        numbers.append(number)
        accounts.append(account)
        // As RunnerNames seals them.
        names.append(
          key.seal(
            result.citizen.givenName,
            for: SealContext(
              table: "enrolments", column: "sealed_name", row: SealRow(entry.runID, account))))
      }
    }
    _ = try session.rows(
      """
      INSERT INTO track4run.enrolments
             (run_id, number, account_id, sealed_name, shows_health, is_findable, joined_at,
              request_id, checked_in_at, check_in_attempts, shared_types)
      SELECT run_id, number, account, chosen, false, true, starts_at - INTERVAL '2 days',
             gen_random_uuid(), starts_at - INTERVAL '1 hour', 1, 6
        FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bytea[])
               AS past (run_id, number, account, chosen)
        JOIN track4run.runs USING (run_id)
      """,
      [
        ArrayLiteral.plain(runs), ArrayLiteral.plain(numbers), ArrayLiteral.plain(accounts),
        ArrayLiteral.bytes(names),
      ])
  }

  private func storeResults(_ stored: [StoredSunday]) throws(AdminSessionError) {
    var (runs, numbers, states): ([Int64], [Int], [Int16]) = ([], [], [])
    var metres: [Double] = []
    var (places, reached, kilometres): ([String?], [String?], [String]) = ([], [], [])
    for entry in stored {
      let start = entry.sunday.start
      for (place, (number, result)) in entry.sunday.results.enumerated() {
        runs.append(entry.runID)
        numbers.append(number)
        places.append(result.outcome == .didNotStart ? nil : "\(place + 1)")
        states.append(result.outcome.rawValue)
        metres.append(result.metres)
        reached.append(result.reachedAfter.map { start.adding(milliseconds: $0).description })
        let times = result.kilometresAfter.map {
          start.adding(milliseconds: $0).millisecondsSince1970
        }
        kilometres.append(ArrayLiteral.plain(times))
      }
    }
    _ = try session.rows(
      """
      INSERT INTO track4run.results
             (run_id, number, state, place, metres, finished_at, reached_at, kilometres_at)
      SELECT run_id, number, state, place, metres,
             CASE WHEN state = 1 THEN reached END, reached, kilometres::bigint[]
        FROM unnest($1::bigint[], $2::integer[], $3::smallint[], $4::float8[],
                    $5::timestamptz[], $6::text[], $7::integer[])
               AS past (run_id, number, state, metres, reached, kilometres, place)
      """,
      [
        ArrayLiteral.plain(runs), ArrayLiteral.plain(numbers), ArrayLiteral.plain(states),
        ArrayLiteral.plain(metres), ArrayLiteral.texts(reached), ArrayLiteral.texts(kilometres),
        ArrayLiteral.texts(places),
      ])
  }
}
