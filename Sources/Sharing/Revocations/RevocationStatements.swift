import Bytes
import Domain
import Postgres
import Time

/// Publishes under the next number that no data of these requests and no mail of these accounts may
/// be sent from now on.
///
/// The row of the clock is locked from the number to the commit, so a reader of a number has missed
/// none before it.
struct MakeRevocation: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    WITH clock AS (
           UPDATE data4help.revocation_clock SET number = number + 1 RETURNING number),
         made AS (
           INSERT INTO data4help.revocations (number, request_id, account_id, made_at)
           SELECT clock.number, asked.request_id, asked.account_id, \(\.now)
             FROM (SELECT request_id, NULL::bigint
                     FROM unnest(\(\.requestIDs)) AS requests (request_id)
                    UNION ALL
                   SELECT NULL::uuid, account_id
                     FROM unnest(\(\.accounts)) AS accounts (account_id))
                  AS asked (request_id, account_id), clock)
    SELECT number FROM clock
    """
  let requestIDs: [DataRequestID]
  let accounts: [AccountID]
  let now: Instant
}

/// Revocations after a number, in their order. By the index on the number.
struct RevocationsAfter: Statement {
  /// A revocation of a request or of an account.
  struct Row: Sendable {
    let number: Int64
    let requestID: DataRequestID?
    let account: AccountID?
  }
  static let sql: SQL<Self> = """
    SELECT number, request_id, account_id
      FROM data4help.revocations
     WHERE number > \(\.number)
     ORDER BY number
    """
  static let columns = Columns(Row.init)
  let number: Int64
}

/// Registers a replica as a sender of data, and returns the number of the last revocation.
struct JoinDelivering: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    INSERT INTO data4help.delivering_replicas AS replica (replica_id, seen, alive_until)
    SELECT \(\.replica), clock.number, clock_timestamp() + interval '5 seconds'
      FROM data4help.revocation_clock AS clock
        ON CONFLICT (replica_id) DO UPDATE
       SET seen = excluded.seen, alive_until = excluded.alive_until
    RETURNING replica.seen
    """
  let replica: UniversalID
}

/// Stores how far a replica has followed revocations, and renews its lease; no row if its
/// registration was removed.
struct AdvanceReplica: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    UPDATE data4help.delivering_replicas
       SET seen = \(\.seen), alive_until = clock_timestamp() + interval '5 seconds'
     WHERE replica_id = \(\.replica)
    RETURNING seen
    """
  let replica: UniversalID
  let seen: Int64
}

/// The number of living replicas that have not followed a revocation yet. One row per process.
struct LaggingReplicas: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*)
      FROM data4help.delivering_replicas
     WHERE alive_until > clock_timestamp()
       AND seen < \(\.number)
    """
  let number: Int64
}

/// Removes a replica that has stopped sending.
struct LeaveDelivering: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.delivering_replicas WHERE replica_id = \(\.replica)
    """
  let replica: UniversalID
}

/// Deletes revocations from before a time, and replicas that were killed. By the index on the time.
struct DeleteRevocations: Statement {
  static let sql: SQL<Self> = """
    WITH replicas AS (
           DELETE FROM data4help.delivering_replicas
            WHERE alive_until < clock_timestamp() - interval '1 hour')
    DELETE FROM data4help.revocations WHERE made_at < \(\.before)
    """
  let before: Instant
}

/// Erases the account from a revocation once every replica has followed its number.
struct DeleteRevokedAccounts: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.revocations
     WHERE number = \(\.number)
       AND account_id IS NOT NULL
    """
  let number: Int64
}

/// The statements of revocations, for the check against the schema.
package enum RevocationStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    MakeRevocation.self, RevocationsAfter.self, JoinDelivering.self, AdvanceReplica.self,
    LaggingReplicas.self, LeaveDelivering.self, DeleteRevocations.self,
    DeleteRevokedAccounts.self,
  ]
}
