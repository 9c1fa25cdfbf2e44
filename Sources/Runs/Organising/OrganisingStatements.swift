import Domain
import Postgres
import ServiceKit
import Time

/// Statements of organising a run, listed for the schema check.
enum OrganisingStatements {
  static let all: [any Statement.Type] = [
    HoldRun.self, RunByID.self, RunOfOrganiser.self, InsertRun.self, ReplaceTerms.self,
    CountMadeRun.self, CountChange.self, CancelRun.self, NameCoOrganiser.self,
    StrikeCoOrganiser.self, CoOrganisers.self, NamesOfCoOrganisers.self, HoldRunDay.self,
    PathOfRun.self, PathsNearby.self, CountListedRuns.self, StorePath.self, PublishRun.self,
  ]
}

/// Creates a run, without a path and therefore not listed.
struct InsertRun: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    INSERT INTO track4run.runs (
           organiser_id, organiser_name, name, description, place, starts_at, enrol_until, ends_at,
           participants_max)
    VALUES (\(\.organiser), \(\.organiserName), \(\.terms.name), \(\.terms.description),
            \(\.terms.place), \(\.terms.startsAt), \(\.terms.enrolUntil), \(\.terms.endsAt),
            \(\.terms.participantsMax))
    RETURNING run_id
    """
  let organiser: AccountID
  let organiserName: String
  let terms: StoredTerms

  init(_ terms: RunTerms, organiser: AccountID, organiserName: String) {
    self.organiser = organiser
    self.organiserName = organiserName
    self.terms = StoredTerms(terms)
  }
}

/// Counts a run that an organiser creates in a day; no row if the limit is reached.
struct CountMadeRun: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = """
    INSERT INTO track4run.runs_made AS made (organiser_id, day, count)
    VALUES (\(\.organiser), \(\.day), 1)
    ON CONFLICT ON CONSTRAINT runs_made_pkey DO UPDATE
       SET day = \(\.day),
           count = CASE WHEN made.day = \(\.day) THEN made.count + 1 ELSE 1 END
     WHERE made.day <> \(\.day)
        OR made.count < \(\.countMax)
    RETURNING count
    """
  let organiser: AccountID
  let day: Int32
  let countMax: Int32
}

/// Replaces the terms of a locked run.
struct ReplaceTerms: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.runs
       SET name = \(\.terms.name), description = \(\.terms.description),
           place = \(\.terms.place), starts_at = \(\.terms.startsAt),
           enrol_until = \(\.terms.enrolUntil), ends_at = \(\.terms.endsAt),
           participants_max = \(\.terms.participantsMax)
     WHERE run_id = \(\.runID)
    """
  let runID: Int64
  let terms: StoredTerms

  init(_ runID: Int64, _ terms: RunTerms) {
    self.runID = runID
    self.terms = StoredTerms(terms)
  }
}

/// Counts a change about which the runners of a locked run are notified; no row if the daily limit
/// is reached.
struct CountChange: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    UPDATE track4run.runs
       SET changes_day = \(\.day),
           changes_count = CASE WHEN changes_day = \(\.day) THEN changes_count + 1 ELSE 1 END
     WHERE run_id = \(\.runID)
       AND (changes_day IS DISTINCT FROM \(\.day) OR changes_count < \(\.countMax))
    RETURNING run_id
    """
  let runID: Int64
  let day: Int32
  let countMax: Int32
}

/// The columns of a run's terms.
struct StoredTerms: Sendable {
  let name: String
  let description: String?
  let place: String?
  let startsAt: Instant
  let enrolUntil: Instant
  let endsAt: Instant
  let participantsMax: Int32

  init(_ terms: RunTerms) {
    name = terms.name.description
    description = terms.description?.description
    place = terms.place?.description
    startsAt = terms.times.startsAt
    enrolUntil = terms.enrolUntil
    endsAt = terms.times.endsAt
    participantsMax = terms.participantsMax
  }
}

/// Cancels a locked run. Its runners stay enrolled, so that they can be notified.
struct CancelRun: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.runs SET cancelled_at = \(\.now) WHERE run_id = \(\.runID)
    """
  let runID: Int64
  let now: Instant
}
