import Domain
import Postgres
import ServiceKit
import Time

/// Removes a device from an account: its token ends, and the types that it provided are assigned to
/// another device or to none. Its samples stay, under its number.
struct DeviceRemoval {
  let account: AccountID
  let device: Int32
  var successor: Int32?
  let at: Instant

  /// - Throws: `notFound` for a device that is not paired.
  func run(in transaction: Transaction<ApplicationError>) async throws(ApplicationError) {
    try await release(in: transaction)
    // The clock of the sessions, which all of them need, is locked last.
    try await transaction.run(EndDeviceToken(account: account, number: device, at: at))
  }

  /// The removal without the end of the token, which must follow.
  ///
  /// - Throws: `notFound` for a device that is not paired.
  func release(in transaction: Transaction<ApplicationError>) async throws(ApplicationError) {
    guard try await transaction.runOne(RemoveDevice(account: account, number: device)) == true
    else { throw .notFound }
    var assigned = try await AssignedTypes.lock(of: account, in: transaction)
    assigned.replace(device, with: successor)
    try await transaction.run(AssignTypes(account: account, assigned: assigned.stored))
  }
}

/// Removes all API keys and devices from an account, and its unfinished pairings. Their tokens must
/// be ended afterwards in the same transaction, because the clock of the sessions is locked last.
struct KeyAndDeviceRemoval {
  let account: AccountID

  /// - Throws: `unavailable` if the database is unavailable.
  func run(in transaction: Transaction<ApplicationError>) async throws(ApplicationError) {
    // A device that is receiving its token holds its pairing: this waits for it, and its token is
    // found when tokens are ended.
    let (_, _, removed) = try await transaction.run(
      DeletePairings(account: account), DeleteProgramKeys(account: account),
      RemoveDevices(account: account))
    guard !removed.isEmpty else { return }
    var assigned = try await AssignedTypes.lock(of: account, in: transaction)
    for device in removed { assigned.replace(device, with: nil) }
    try await transaction.run(AssignTypes(account: account, assigned: assigned.stored))
  }
}

extension AssignedTypes {
  /// Locks an account's samples and reads which device provides which type.
  ///
  /// - Throws: `internalError` if the stored value is damaged.
  static func lock(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> AssignedTypes {
    let (_, assigned) = try await transaction.run(
      EnsureSampleAccount(account: account), LockAssignedTypes(account: account))
    guard let stored = assigned.first, let types = AssignedTypes(stored: stored) else {
      throw .internalError(because: "The assigned types of an account can't be read.")
    }
    return types
  }
}
