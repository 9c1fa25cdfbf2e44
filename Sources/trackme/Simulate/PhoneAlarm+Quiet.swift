import AutomatedSOS
import Domain

// What an emergency of the service means for readings that the phone takes for a new one.
extension PhoneAlarm {
  /// How long it is quiet after an emergency if the service has not said until when.
  private static let unsaidMilliseconds: Int64 = 60_000

  /// The life with which the phone's detector resumes its own emergency; nil before the call, when
  /// the detector needs none.
  func life(at now: Timestamp) -> EmergencyLife? {
    guard let reached, !reached.isBeforeCall else { return nil }
    let quietUntil: Timestamp? =
      switch reached {
      case .withdrawn: nil
      case _ where reached.isOver: quietUntil ?? now.adding(milliseconds: Self.unsaidMilliseconds)
      default: now.adding(milliseconds: EmergencyLife.quietMilliseconds)
      }
    return EmergencyLife(reached, dueAt: nil, quietUntil: quietUntil?.moment)
  }

  /// What the person is told whose readings belong to it.
  var sentence: String {
    switch reached {
    case .suspected, .asked, .confirmed: "TrackMe knows of it: \(episodeID ?? "")"
    case .dispatched:
      "TrackMe is calling help for this emergency already. If it gets worse call 112."
    case .acknowledged:
      "This emergency is with a hospital, or the emergency number, already. "
        + "If it gets worse call 112."
    case .aborted: over("is quiet after your abort")
    case .falseAlarm: over("is quiet after the false alarm that you reported")
    case .closed: over("is quiet after a hospital closed your emergency")
    case .unanswered: over("is quiet after an emergency that nobody answered")
    case .withdrawn, .drillOver: over("has taken its warning back")
    case nil: "What TrackMe answers is not understood. If you need help call 112."
    }
  }

  private func over(_ ending: String) -> String {
    "TrackMe \(ending)\(quietTime): nobody is called. If you need help call 112."
  }

  /// The minute in which the quiet ends, in UTC: what is said of it holds until then.
  private var quietTime: String {
    quietUntil.map { " until \($0.description.dropFirst(11).prefix(5)) UTC" } ?? ""
  }
}
