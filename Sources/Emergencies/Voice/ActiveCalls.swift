import AutomatedSOS
import Bytes
import Domain
import Synchronization
import Telephony

/// The voice calls of this process that are not over. Each is ended as soon as its emergency is
/// over, whatever ended the emergency and on whichever replica (SOS-4), and one person's calls do
/// not occupy all the lines (decision 0026). From any thread.
final class ActiveCalls: Sendable {
  /// The most simultaneous calls to one person's contacts: half of the lines that call contacts.
  static let contactsAtOnceMax = 2

  private struct Call {
    let emergency: UniversalID
    let account: AccountID
    let isToContact: Bool
    /// Whether it waits for others of the same person before it is placed.
    var isWaiting: Bool
    let cancellation: CancellationToken

    /// Whether the call is obsolete at this stage. The emergency number is not needed after an
    /// acknowledgement; contacts are called nevertheless.
    func isOver(at stage: EmergencyStage) -> Bool {
      isToContact ? stage > .acknowledged : stage > .dispatched
    }
  }

  private let calls = Mutex<[ObjectIdentifier: Call]>([:])

  /// Registers a call for an account before it is placed; a call to a contact also needs
  /// `claimTurn`. Returns the object that ends it.
  func begin(_ call: VoiceCall, of account: AccountID) -> CancellationToken {
    let cancellation = CancellationToken()
    let isToContact = call.contact != nil
    let begun = Call(
      emergency: call.id, account: account, isToContact: isToContact, isWaiting: isToContact,
      cancellation: cancellation)
    calls.withLock { $0[ObjectIdentifier(cancellation)] = begun }
    return cancellation
  }

  /// Removes an ended call.
  func end(_ cancellation: CancellationToken) {
    calls.withLock { $0[ObjectIdentifier(cancellation)] = nil }
  }

  /// Whether a call to the emergency number is in progress for an account.
  func isNumberCalled(for account: AccountID) -> Bool {
    calls.withLock { calls in
      calls.values.contains { !$0.isToContact && $0.account == account }
    }
  }

  /// Whether a call to a contact may be placed now; if so, it counts as placed.
  func claimTurn(_ cancellation: CancellationToken) -> Bool {
    calls.withLock { calls in
      let key = ObjectIdentifier(cancellation)
      guard let account = calls[key]?.account else { return true }
      let placed = calls.values.count {
        $0.isToContact && !$0.isWaiting && $0.account == account
      }
      guard placed < Self.contactsAtOnceMax else { return false }
      calls[key]?.isWaiting = false
      return true
    }
  }

  /// Ends calls that are obsolete at the stage of their emergency; nil for an unknown emergency.
  func follow(_ stage: (UniversalID) -> EmergencyStage?) {
    for call in calls.withLock({ Array($0.values) }) {
      if let known = stage(call.emergency), call.isOver(at: known) { call.cancellation.cancel() }
    }
  }
}
