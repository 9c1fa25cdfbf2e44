import Domain
import JSON
import Services

/// What the service tells of an emergency, on `/events` and in its answer to an alert.
package struct PhoneAlarm: JSONReadable, Sendable, Equatable {
  /// What its stage means for the person.
  enum Standing {
    /// Nobody was called yet.
    case beforeCall
    /// Somebody is called or on the way.
    case called
    /// It is over: nobody is called for it any more.
    case over
    /// Of a kind that this phone does not know.
    case unknown
  }

  /// How far it is, as the API says it.
  package var stage = ""
  /// Which one; nil for silence, which is none.
  package var episodeID: String?
  /// What raised it; not said in the answer to an alert.
  package var rule = ""
  /// Whether it is a drill.
  package var isDrill = false
  /// Until then it can be aborted, where that is known.
  package var until: Timestamp?
  /// Until then readings raise no other one although it is over, where that is known.
  package var quietUntil: Timestamp?

  /// An alarm of these parts.
  package init(
    stage: String, episodeID: String?, rule: String, until: Timestamp? = nil,
    quietUntil: Timestamp? = nil
  ) {
    (self.stage, self.episodeID, self.rule) = (stage, episodeID, rule)
    (self.until, self.quietUntil) = (until, quietUntil)
  }

  /// Reads the data of an event, whose own `data` is the notice, or the answer to an alert.
  package init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "stage": stage = try reader.string()
      case "episodeID": episodeID = try reader.string()
      case "rule": rule = try reader.string()
      case "drill": isDrill = try reader.boolean()
      case "abortUntil", "answerBy": until = try reader.timestamp()
      case "quietUntil": quietUntil = try reader.timestamp()
      default: break
      }
    }
  }

  /// What its stage means; unknown for one that nothing names.
  var standing: Standing {
    guard episodeID != nil else { return .unknown }
    return switch stage {
    case "suspected", "asked", "confirmed": .beforeCall
    case "dispatched", "acknowledged": .called
    case "closed", "withdrawn", "aborted", "false alarm", "drill over", "unanswered": .over
    default: .unknown
    }
  }
}
