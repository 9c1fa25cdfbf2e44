import AutomatedSOS
import Domain

// What an emergency of the service means for readings that the phone takes for a new one.
extension PhoneAlarm {
  /// So long a rule is quiet after a critical reading while somebody has the emergency (decision
  /// 0079).
  private static let calledMilliseconds: Int64 = 600_000
  /// So long it is quiet after an emergency of which the service has not said until when.
  private static let unsaidMilliseconds: Int64 = 60_000

  /// How the phone's detector goes on with its own episode; nil where that goes on by itself.
  func episodeStage(at now: Timestamp) -> EpisodeStage? {
    switch standing {
    case .beforeCall, .unknown: nil
    case .called:
      .dispatched(quietUntil: now.adding(milliseconds: Self.calledMilliseconds).moment)
    case .over where stage == "withdrawn": .withdrawn
    case .over:
      .over(quietUntil: (quietUntil ?? now.adding(milliseconds: Self.unsaidMilliseconds)).moment)
    }
  }

  /// What the person is told whose readings belong to it.
  var sentence: String {
    switch standing {
    case .beforeCall: "TrackMe knows of it: \(episodeID ?? "")"
    case .called:
      stage == "dispatched"
        ? "TrackMe is calling help for this emergency already. If it gets worse call 112."
        : "This emergency is with a hospital, or the emergency number, already. "
          + "If it gets worse call 112."
    case .over: "TrackMe \(ending)\(quietTime): nobody is called. If you need help call 112."
    case .unknown: "What TrackMe answers is not understood. If you need help call 112."
    }
  }

  private var ending: String {
    switch stage {
    case "aborted": "is quiet after your abort"
    case "false alarm": "is quiet after the false alarm that you reported"
    case "closed": "is quiet after a hospital closed your emergency"
    case "unanswered": "is quiet after an emergency that nobody answered"
    default: "has taken its warning back"
    }
  }

  /// The minute in which the quiet ends, in UTC: what is said of it holds until then.
  private var quietTime: String {
    quietUntil.map { " until \($0.description.dropFirst(11).prefix(5)) UTC" } ?? ""
  }
}
