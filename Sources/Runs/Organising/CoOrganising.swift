import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

// The co-organisers of a run, beside the company that created it (RUN-2).

extension RunOrganising {
  /// The largest number of co-organisers of a run.
  static let coOrganisersMax = 20

  /// Adds or removes a co-organiser. The organiser who created the run decides; a co-organiser can
  /// remove itself.
  ///
  /// - Throws: `unavailable`.
  package func setCoOrganiser(
    _ other: AccountID, named companyName: String, of runID: Int64, allowed: Bool,
    by thirdParty: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> CoOrganisingOutcome {
    guard let row = try await hold(runID, for: thirdParty, in: transaction),
      row.organiser == thirdParty || other == thirdParty && !allowed
    else { return .unknown }
    if let refusal = try row.run().refusalOfCancelling(now: now) { return .refused(refusal) }
    guard other != row.organiser else { return .isOrganiser }
    guard allowed else {
      let struck = StrikeCoOrganiser(runID: runID, thirdParty: other)
      return .set(run: row, isNew: try await transaction.runOne(struck) != nil)
    }
    let name = NameCoOrganiser(
      runID: runID, thirdParty: other, name: companyName, now: environment.now())
    if try await transaction.runOne(name) != nil { return .set(run: row, isNew: true) }
    let all = try await transaction.run(CoOrganisers(runID: runID))
    return all.contains(other) ? .set(run: row, isNew: false) : .tooMany
  }
}

/// Adds a co-organiser of a locked run; no row if the third party is one already, or the limit is
/// reached.
struct NameCoOrganiser: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    INSERT INTO track4run.co_organisers (run_id, third_party_id, name, named_at)
    SELECT \(\.runID), \(\.thirdParty), \(\.name), \(\.now)
     WHERE (SELECT count(*) FROM track4run.co_organisers WHERE run_id = \(\.runID))
           < \(\.countMax)
        ON CONFLICT (run_id, third_party_id) DO NOTHING
    RETURNING true
    """
  let runID: Int64
  let thirdParty: AccountID
  let name: String
  let now: Instant
  let countMax = Int64(RunOrganising.coOrganisersMax)
}

/// Removes a co-organiser; no row if the third party is not one.
struct StrikeCoOrganiser: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    DELETE FROM track4run.co_organisers
     WHERE run_id = \(\.runID)
       AND third_party_id = \(\.thirdParty)
    RETURNING true
    """
  let runID: Int64
  let thirdParty: AccountID
}

/// The co-organisers of a run.
struct CoOrganisers: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT third_party_id FROM track4run.co_organisers WHERE run_id = \(\.runID)
    """
  let runID: Int64
}

/// The known names of the co-organisers of some runs, in the order in which they were added.
struct NamesOfCoOrganisers: Statement {
  struct Row: Sendable {
    let runID: Int64
    let name: String
  }
  static let sql: SQL<Self> = """
    SELECT run_id, coalesce(name, '')
      FROM track4run.co_organisers
     WHERE run_id = ANY (\(\.runIDs))
       AND name IS NOT NULL
     ORDER BY run_id, named_at, third_party_id
    """
  static let columns = Columns(Row.init)
  let runIDs: [Int64]
}

/// The outcome of adding or removing a co-organiser.
package enum CoOrganisingOutcome: Sendable {
  /// The state is as requested; `isNew` if it changed.
  case set(run: RunRow, isNew: Bool)
  /// The run is unknown or another organiser's.
  case unknown
  /// The run is over or was cancelled.
  case refused(RunChangeRefusal)
  /// The company created the run.
  case isOrganiser
  /// The run has 20 co-organisers already.
  case tooMany

  /// The run in the requested state, and whether anything changed.
  ///
  /// - Throws: `notFound` for another organiser's run, `conflict`.
  func result() throws(ApplicationError) -> (run: RunRow, isNew: Bool) {
    switch self {
    case .set(let run, let isNew): return (run, isNew)
    case .unknown: throw .notFound
    case .refused(let refusal): throw .conflict(refusal.description)
    case .isOrganiser: throw .conflict("This company created the run.")
    case .tooMany:
      throw .conflict("The run already has \(RunOrganising.coOrganisersMax) co-organisers.")
    }
  }
}
