import Cryptography
import Domain
import Postgres
import Time

// All by the primary key. An account has few devices: at most twenty paired ones, and the removed
// ones.

/// The numbers of an account's devices: how many are paired, and the greatest ever assigned.
struct DeviceNumbers: Statement {
  struct Row: Sendable {
    let paired: Int64
    let greatest: Int32
  }
  static let sql: SQL<Self> = """
    SELECT count(*) FILTER (WHERE sealed_description IS NOT NULL), coalesce(max(number), 0)
      FROM data4help.devices
     WHERE account_id = \(\.account)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
}

struct InsertDevice: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.devices (account_id, number, types, sealed_description, paired_at)
    VALUES (\(\.account), \(\.number), \(\.types), \(\.sealed), \(\.at))
    """
  let account: AccountID
  let number: Int32
  let types: Int64
  let sealed: [UInt8]
  let at: Instant
}

/// Stores the token of a device; no row if the device was removed meanwhile.
struct StoreDeviceToken: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    UPDATE data4help.devices
       SET token_hash = \(\.token)
     WHERE account_id = \(\.account)
       AND number = \(\.number)
       AND sealed_description IS NOT NULL
    RETURNING true
    """
  let account: AccountID
  let number: Int32
  let token: TokenHash
}

/// The paired devices of an account with their last use, which is stored with the token.
package struct Devices: Statement {
  /// A device.
  package struct Row: Sendable {
    let number: Int32
    /// The types that it can provide, as bits.
    package let types: Int64
    /// Never nil here: removed devices are left out.
    let sealed: [UInt8]?
    let pairedAt: Instant
    /// The time of its token if it was not used since; nil before the token.
    let lastUsedAt: Instant?
    let startedAt: Instant?
  }
  package static let sql: SQL<Self> = """
    SELECT device.number, device.types, device.sealed_description, device.paired_at,
           token.last_used_at, token.started_at
      FROM data4help.devices AS device
      LEFT JOIN data4help.sessions AS token ON token.token_hash = device.token_hash
     WHERE device.account_id = \(\.account)
       AND device.sealed_description IS NOT NULL
     ORDER BY device.number DESC
    """
  package static let columns = Columns(Row.init)
  let account: AccountID

  /// Reads the devices of an account.
  package init(account: AccountID) {
    self.account = account
  }
}

/// The types that a paired device can provide; no row for one that is not.
package struct DeviceTypes: Statement {
  /// The types, as bits.
  package typealias Row = Int64
  package static let sql: SQL<Self> = """
    SELECT types
      FROM data4help.devices
     WHERE account_id = \(\.account)
       AND number = \(\.number)
       AND sealed_description IS NOT NULL
    """
  let account: AccountID
  let number: Int32

  /// Reads the types of one device of an account.
  package init(account: AccountID, number: Int32) {
    self.account = account
    self.number = number
  }
}

/// Deletes the description of a device; no row for one that is not paired.
struct RemoveDevice: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    UPDATE data4help.devices
       SET sealed_description = NULL
     WHERE account_id = \(\.account)
       AND number = \(\.number)
       AND sealed_description IS NOT NULL
    RETURNING true
    """
  let account: AccountID
  let number: Int32
}

/// Deletes the descriptions of all devices of an account; returns their numbers.
struct RemoveDevices: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = """
    UPDATE data4help.devices
       SET sealed_description = NULL
     WHERE account_id = \(\.account)
       AND sealed_description IS NOT NULL
    RETURNING number
    """
  let account: AccountID
}

/// Deletes the unfinished pairings of an account, by the index on the account.
struct DeletePairings: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.pairings WHERE account_id = \(\.account)
    """
  let account: AccountID
}

/// Ends the token of a device, if it has one.
struct EndDeviceToken: Statement {
  static let sql: SQL<Self> = """
    WITH clock AS (
           UPDATE data4help.session_clock SET change = change + 1 RETURNING change)
    UPDATE data4help.sessions AS session
       SET ended_at = \(\.at), change = clock.change
      FROM clock, data4help.devices AS device
     WHERE device.account_id = \(\.account)
       AND device.number = \(\.number)
       AND session.token_hash = device.token_hash
       AND session.ended_at IS NULL
    """
  let account: AccountID
  let number: Int32
  let at: Instant
}

/// Which device provides which type; no row if there never was a sample or an assignment.
struct ReadAssignedTypes: Statement {
  typealias Row = [UInt8]
  static let sql: SQL<Self> = """
    SELECT assigned_types FROM data4help.sample_accounts WHERE account_id = \(\.account)
    """
  let account: AccountID
}

/// Stores which device provides which type; the account must be locked.
struct AssignTypes: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.sample_accounts
       SET assigned_types = \(\.assigned)
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let assigned: [UInt8]
}

/// The statements of devices, for the check against the schema.
package enum DeviceStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    ForgetPairings.self, CountPairings.self, MakeWayForPairing.self, InsertPairing.self,
    SealedPairingPage.self, StoreResealedPairings.self,
    LockPairingTries.self,
    CountWrongCode.self, LockPairingOfCode.self, LockPairing.self, ConfirmPairing.self,
    FinishPairing.self, DeviceNumbers.self, InsertDevice.self, StoreDeviceToken.self,
    Devices.self, DeviceTypes.self, RemoveDevice.self, EndDeviceToken.self,
    RemoveDevices.self, DeletePairings.self, ReadAssignedTypes.self, AssignTypes.self,
    LockAssignedTypes.self, EnsureSampleAccount.self,
    HoldAccountOfPairing.self,
  ]
}

/// Creates the missing row of an account, unless the account was deleted, and blocks its deletion
/// to the end of the transaction. Run it before all other locks of the account.
package struct EnsureSampleAccount: Statement {
  package static let sql: SQL<Self> = """
    INSERT INTO sample_accounts (account_id)
    SELECT account_id
      FROM accounts
     WHERE account_id = \(\.account)
       FOR KEY SHARE
        ON CONFLICT (account_id) DO NOTHING
    """
  let account: AccountID

  /// Ensures the row of an account.
  package init(account: AccountID) {
    self.account = account
  }
}

/// Locks an account's samples to the end of the transaction, and returns which device provides
/// which type.
struct LockAssignedTypes: Statement {
  typealias Row = [UInt8]
  static let sql: SQL<Self> = """
    SELECT assigned_types
      FROM data4help.sample_accounts
     WHERE account_id = \(\.account)
       FOR UPDATE
    """
  let account: AccountID
}
