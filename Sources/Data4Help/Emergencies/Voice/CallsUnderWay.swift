import AutomatedSOS
import Domain
import EventLoop
import Privacy
import Synchronization

/// The calls by voice that this process has begun and that are not over: each is hung up as soon as
/// its emergency is, whoever ended it and at which replica (SOS-4), and one person's calls do not
/// take all the lines (decision 0026). From any thread.
final class CallsUnderWay: Sendable {
  /// Calls to one person's contacts at the same time: half of the lines that call contacts.
  static let contactsAtOnceMax = 2

  private struct Call {
    let episode: UniversalID
    let account: AccountID
    let isToContact: Bool
    /// Whether it waits for others of the same person before it is placed.
    var isWaiting: Bool
    let hangUp: HangUp

    /// Whether what it says holds no more at this stage. The emergency number is not needed once
    /// somebody has the emergency; contacts are told of it all the same.
    func isOver(at stage: EmergencyStage) -> Bool {
      isToContact ? stage > .acknowledged : stage > .dispatched
    }
  }

  private let calls = Mutex<[ObjectIdentifier: Call]>([:])

  /// A call for an account is about to be placed, to a contact with `takeTurn`; gives what ends it.
  func begin(_ call: VoiceCall, of account: AccountID) -> HangUp {
    let hangUp = HangUp()
    let isToContact = call.contact != nil
    let begun = Call(
      episode: call.id, account: account, isToContact: isToContact, isWaiting: isToContact,
      hangUp: hangUp)
    calls.withLock { $0[ObjectIdentifier(hangUp)] = begun }
    return hangUp
  }

  /// It is over.
  func end(_ hangUp: HangUp) {
    calls.withLock { $0[ObjectIdentifier(hangUp)] = nil }
  }

  /// Whether the emergency number is called for an account.
  func isNumberCalled(for account: AccountID) -> Bool {
    calls.withLock { calls in
      calls.values.contains { !$0.isToContact && $0.account == account }
    }
  }

  /// Whether a call to a contact may be placed now; then it counts among those that are.
  func takeTurn(_ hangUp: HangUp) -> Bool {
    calls.withLock { calls in
      let key = ObjectIdentifier(hangUp)
      guard let account = calls[key]?.account else { return true }
      let placed = calls.values.count {
        $0.isToContact && !$0.isWaiting && $0.account == account
      }
      guard placed < Self.contactsAtOnceMax else { return false }
      calls[key]?.isWaiting = false
      return true
    }
  }

  /// Hangs up what is over by the stage that an emergency has; nil where nothing is known of it.
  func follow(_ stage: (UniversalID) -> EmergencyStage?) {
    for call in calls.withLock({ Array($0.values) }) {
      if let known = stage(call.episode), call.isOver(at: known) { call.hangUp.ask() }
    }
  }
}
