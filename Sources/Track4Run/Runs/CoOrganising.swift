import Domain
import EventLoop
import HTTP
import Postgres
import Services

// Who organises a run beside the company that created it (RUN-2).

extension RunOrganising {
  /// How many companies may organise a run beside the one that created it.
  static let coOrganisersMax = 20

  /// Lets another third party organise the run too, or no longer. Who created it decides; a
  /// co-organiser can strike itself off.
  ///
  /// - Throws: 503.
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
      runID: runID, thirdParty: other, name: companyName, now: world.now())
    if try await transaction.runOne(name) != nil { return .set(run: row, isNew: true) }
    let all = try await transaction.run(CoOrganisers(runID: runID))
    return all.contains(other) ? .set(run: row, isNew: false) : .tooMany
  }
}

/// Lets a third party organise a run that is held too; no row for one that does already, and where
/// there are as many as there may be.
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
  let now: WallTime
  let countMax = Int64(RunOrganising.coOrganisersMax)
}

/// Takes a third party off those who organise a run; no row for one that does not.
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

/// Who organises a run beside the company that created it.
struct CoOrganisers: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT third_party_id FROM track4run.co_organisers WHERE run_id = \(\.runID)
    """
  let runID: Int64
}

/// What those who organise some runs too are called, as far as it is known, in the order in which
/// they were named.
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

/// What came of saying who organises a run.
package enum CoOrganisingOutcome: Sendable {
  /// It is as was wanted; `isNew` unless it was so before.
  case set(run: RunRow, isNew: Bool)
  /// There is no such run, or it is another's.
  case unknown
  /// The run is over or was cancelled.
  case refused(RunChangeRefusal)
  /// The company created the run.
  case isOrganiser
  /// Twenty companies organise it too already.
  case tooMany

  /// The run, where it is as was wanted, and whether anything changed.
  ///
  /// - Throws: 404 for a run that is not the caller's, 409.
  func result() throws(ApplicationError) -> (run: RunRow, isNew: Bool) {
    switch self {
    case .set(let run, let isNew): return (run, isNew)
    case .unknown: throw .notFound
    case .refused(let refusal): throw .conflict(refusal.description)
    case .isOrganiser: throw .conflict("This company created the run.")
    case .tooMany:
      throw .conflict("\(RunOrganising.coOrganisersMax) companies organise it too already.")
    }
  }
}
