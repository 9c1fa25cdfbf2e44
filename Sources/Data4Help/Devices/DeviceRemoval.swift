import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// Takes a device from an account: its token ends, and the types that it provided go to another
/// one or to none. Its samples stay, under its number.
struct DeviceRemoval {
  let account: AccountID
  let device: Int32
  var successor: Int32?
  let at: WallTime

  /// - Throws: 404 for a device that is not paired.
  func run(in transaction: Transaction<ApplicationError>) async throws(ApplicationError) {
    try await release(in: transaction)
    // The clock of the sessions, which all of them wait for, is taken last.
    try await transaction.run(EndDeviceToken(account: account, number: device, at: at))
  }

  /// All of it but the end of the token, which has to follow.
  ///
  /// - Throws: 404 for a device that is not paired.
  func release(in transaction: Transaction<ApplicationError>) async throws(ApplicationError) {
    guard try await transaction.runOne(RemoveDevice(account: account, number: device)) == true
    else { throw .notFound }
    var assigned = try await AssignedTypes.lock(of: account, in: transaction)
    assigned.replace(device, with: successor)
    try await transaction.run(AssignTypes(account: account, assigned: assigned.stored))
  }
}

/// Takes all API keys and devices from an account, and what waits to be paired with it. Their
/// tokens have to be ended afterwards, in the same transaction: the clock of the sessions is taken
/// last.
struct KeyAndDeviceRemoval {
  let account: AccountID

  /// - Throws: 503 if the database is unavailable.
  func run(in transaction: Transaction<ApplicationError>) async throws(ApplicationError) {
    // A device that takes its token at this moment holds its pairing: it is waited for, and its
    // token found when tokens are ended.
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
  /// - Throws: 500 if it is not what was written.
  static func lock(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> AssignedTypes {
    let (_, states) = try await transaction.run(
      EnsureSampleAccount(account: account), LockSampleAccounts(accounts: [account]))
    guard let state = states.first else { throw .internalError(SampleStoreError.notLocked) }
    return state.assigned
  }
}
