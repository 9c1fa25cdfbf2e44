import Domain
import JSON
import Services

/// What the service tells of an emergency, on `/events`.
package struct PhoneAlarm: JSONReadable, Sendable, Equatable {
  /// How far it is, as the API says it.
  package var stage = ""
  /// Which one; nil for silence, which is none.
  package var episodeID: String?
  /// What raised it.
  package var rule = ""
  /// Whether it is a drill.
  package var isDrill = false
  /// Until then it can be aborted, where that is known.
  package var until: Timestamp?

  /// An alarm of these parts.
  package init(stage: String, episodeID: String?, rule: String, until: Timestamp? = nil) {
    (self.stage, self.episodeID, self.rule, self.until) = (stage, episodeID, rule, until)
  }

  /// Reads the data of an event, whose own `data` is the notice.
  package init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "stage": stage = try reader.string()
      case "episodeID": episodeID = try reader.string()
      case "rule": rule = try reader.string()
      case "drill": isDrill = try reader.boolean()
      case "abortUntil", "answerBy": until = try reader.timestamp()
      default: break
      }
    }
  }

  /// Whether nobody was called yet.
  var isBeforeCall: Bool { ["suspected", "asked", "confirmed"].contains(stage) }

  /// Whether somebody is called or on the way.
  var isCalled: Bool { stage == "dispatched" || stage == "acknowledged" }
}
