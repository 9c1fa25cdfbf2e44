import AutomatedSOS
import Domain
import JSON
import Services

/// What the service tells of an emergency, on `/events` and in its answer to an alert.
package struct PhoneAlarm: JSONReadable, Sendable, Equatable {
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

  /// How far it is; nil for silence, and for a stage that this phone does not know.
  var reached: EmergencyStage? { episodeID == nil ? nil : EmergencyStage(apiName: stage) }

  /// Whether nobody was called yet.
  var isBeforeCall: Bool { reached?.isBeforeCall ?? false }
}
