import AutomatedSOS
import Domain
import Time

// Maps a server's emergency to the phone's detector, which may have seen the same readings.
extension PhoneAlarm {
  /// The quiet period after an emergency for which the service reported no end.
  private static let unsaidMilliseconds: Int64 = 60_000

  /// The life cycle state with which the phone's detector resumes its own emergency; nil before the
  /// call, when the detector needs none.
  func life(at now: Instant) -> EmergencyLife? {
    guard let reached, !reached.isBeforeCall else { return nil }
    let quietUntil: Instant? =
      switch reached {
      case .withdrawn: nil
      case _ where reached.isOver: quietUntil ?? now.adding(milliseconds: Self.unsaidMilliseconds)
      default: now.adding(milliseconds: EmergencyLife.quietMilliseconds)
      }
    return EmergencyLife(reached, dueAt: nil, quietUntil: quietUntil?.moment)
  }

  /// The message for the person whose readings belong to the emergency.
  var sentence: String {
    switch reached {
    case .suspected, .asked, .confirmed: "TrackMe knows of it: \(emergencyID ?? "")"
    case .dispatched:
      "TrackMe is already calling help for this emergency. If it gets worse call 112."
    case .acknowledged:
      "A hospital or the emergency number is already handling this emergency. "
        + "If it gets worse call 112."
    case .aborted: over("is quiet after your abort")
    case .falseAlarm: over("is quiet after the false alarm that you reported")
    case .closed: over("is quiet after a hospital closed your emergency")
    case .unanswered: over("is quiet after an unanswered emergency")
    case .withdrawn, .drillOver: over("has withdrawn its warning")
    case nil: "TrackMe's answer is not understood. If you need help call 112."
    }
  }

  private func over(_ ending: String) -> String {
    "TrackMe \(ending)\(quietTime): no call is made. If you need help call 112."
  }

  /// The minute in UTC in which the quiet period ends; messages about it are valid until then.
  private var quietTime: String {
    quietUntil.map { " until \($0.description.dropFirst(11).prefix(5)) UTC" } ?? ""
  }
}
