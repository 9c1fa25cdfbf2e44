import Domain
import EventLoop
import Privacy
import Synchronization

/// The calls by voice that this process has placed and that are not over: each is hung up as soon
/// as its emergency is, whoever ended it and at which replica (SOS-4). From any thread.
final class CallsUnderWay: Sendable {
  private struct Call {
    let episode: UniversalID
    let isToContact: Bool

    /// Whether what it says holds no more at this stage. The emergency number is not needed once
    /// somebody has the emergency; contacts are told of it all the same.
    func isOver(at stage: EmergencyStage) -> Bool {
      isToContact ? stage > .acknowledged : stage > .dispatched
    }
  }

  private let calls = Mutex<[ObjectIdentifier: (Call, HangUp)]>([:])

  /// A call is about to be placed; gives what ends it.
  func begin(_ call: VoiceCall) -> HangUp {
    let hangUp = HangUp()
    let begun = Call(episode: call.id, isToContact: call.contact != nil)
    calls.withLock { $0[ObjectIdentifier(hangUp)] = (begun, hangUp) }
    return hangUp
  }

  /// It is over.
  func end(_ hangUp: HangUp) {
    calls.withLock { $0[ObjectIdentifier(hangUp)] = nil }
  }

  /// Hangs up what is over by the stage that an emergency has; nil where nothing is known of it.
  func follow(_ stage: (UniversalID) -> EmergencyStage?) {
    for (call, hangUp) in calls.withLock({ Array($0.values) }) {
      if let known = stage(call.episode), call.isOver(at: known) { hangUp.ask() }
    }
  }
}
