import Bytes
import Cryptography
import Domain
import Postgres
import Time

/// Deletes expired pairings, by the index on their expiry.
struct ForgetPairings: Statement {
  static let sql: SQL<Self> = "DELETE FROM data4help.pairings WHERE expires_at <= \(\.before)"
  let before: Instant
}

/// The number of pending devices, in total and from one network; at most the thousand that are
/// allowed, plus simultaneous ones.
struct CountPairings: Statement {
  struct Row: Sendable {
    let all: Int64
    let ofHolder: Int64
  }
  static let sql: SQL<Self> = """
    SELECT count(*), count(*) FILTER (WHERE holder = \(\.holder))
      FROM data4help.pairings
    """
  static let columns = Columns(Row.init)
  let holder: BlindValue
}

/// Removes the code of the oldest pending device of the network with the most, unless it was
/// already accepted.
struct MakeWayForPairing: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.pairings
     WHERE code_blind = (
             SELECT code_blind
               FROM data4help.pairings
              WHERE account_id IS NULL
              ORDER BY count(*) OVER (PARTITION BY holder) DESC, holder, expires_at
              LIMIT 1)
       AND account_id IS NULL
    """
}

/// Stores a pending device under a code; no row if another one has the code.
struct InsertPairing: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    INSERT INTO data4help.pairings
           (code_blind, pairing_id, secret_hash, sealed_description, types, expires_at, holder)
    VALUES (\(\.code), \(\.pairing), \(\.secret), \(\.sealed), \(\.types), \(\.expiresAt),
            \(\.holder))
        ON CONFLICT (code_blind) DO NOTHING
    RETURNING true
    """
  let code: BlindValue
  let pairing: UniversalID
  let secret: TokenHash
  let sealed: [UInt8]
  let types: Int64
  let expiresAt: Instant
  let holder: BlindValue
}

/// Locks the count of an account's wrong codes, so that parallel guesses gain nothing over
/// consecutive ones.
struct LockPairingTries: Statement {
  struct Row: Sendable {
    let wrong: Int32
    let firstAt: Instant
  }
  static let sql: SQL<Self> = """
    INSERT INTO data4help.pairing_tries (account_id, wrong, first_at)
    VALUES (\(\.account), 0, \(\.at))
        ON CONFLICT (account_id) DO UPDATE SET account_id = excluded.account_id
    RETURNING wrong, first_at
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let at: Instant
}

struct CountWrongCode: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.pairing_tries
       SET wrong = \(\.wrong), first_at = \(\.firstAt)
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let wrong: Int32
  let firstAt: Instant
}

/// A pending device, locked.
struct PairingRow: Sendable {
  let pairing: UniversalID
  let sealed: [UInt8]
  let types: Int64
  let account: AccountID?
  let device: Int32?
  let isFinished: Bool
}

struct LockPairingOfCode: Statement {
  static let sql: SQL<Self> = """
    SELECT pairing_id, sealed_description, types, account_id, device, is_finished
      FROM data4help.pairings
     WHERE code_blind = \(\.code)
       AND expires_at > \(\.now)
       FOR UPDATE
    """
  static let columns = Columns(PairingRow.init)
  let code: BlindValue
  let now: Instant
}

struct LockPairing: Statement {
  static let sql: SQL<Self> = """
    SELECT pairing_id, sealed_description, types, account_id, device, is_finished
      FROM data4help.pairings
     WHERE pairing_id = \(\.pairing)
       AND secret_hash = \(\.secret)
       AND expires_at > \(\.now)
       FOR UPDATE
    """
  static let columns = Columns(PairingRow.init)
  let pairing: UniversalID
  let secret: TokenHash
  let now: Instant
}

/// Locks the account that accepted a device against its deletion, before the pairing is locked; no
/// row if no account accepted it yet, or the account was deleted.
struct HoldAccountOfPairing: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account.account_id
      FROM data4help.pairings AS pairing
      JOIN data4help.accounts AS account USING (account_id)
     WHERE pairing.pairing_id = \(\.pairing)
       AND pairing.secret_hash = \(\.secret)
       FOR KEY SHARE OF account
    """
  let pairing: UniversalID
  let secret: TokenHash
}

/// Stores that the person accepted, and restarts the time for the device to fetch its token.
struct ConfirmPairing: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.pairings
       SET account_id = \(\.account), device = \(\.device), expires_at = \(\.expiresAt)
     WHERE pairing_id = \(\.pairing)
    """
  let pairing: UniversalID
  let account: AccountID
  let device: Int32
  let expiresAt: Instant
}

struct FinishPairing: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.pairings SET is_finished = true WHERE pairing_id = \(\.pairing)
    """
  let pairing: UniversalID
}
