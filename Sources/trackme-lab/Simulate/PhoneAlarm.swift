import AutomatedSOS
import Domain
import JSON
import ServiceKit
import Time

/// An emergency as reported by the service, on `/events` and in the response to an alert.
package struct PhoneAlarm: JSONReadable, Sendable, Equatable {
  /// The stage, as named by the API.
  package var stage = ""
  /// The identifier of the emergency; nil for a missing-data alarm, which has none.
  package var emergencyID: String?
  /// The rule that raised it; missing in the response to an alert.
  package var rule = ""
  /// Whether it is a drill.
  package var isDrill = false
  /// The end of the abort window, if known.
  package var until: Instant?
  /// The time until which readings raise no new emergency after this one is over, if known.
  package var quietUntil: Instant?

  /// Creates an alarm from its parts.
  package init(
    stage: String, emergencyID: String?, rule: String, until: Instant? = nil,
    quietUntil: Instant? = nil
  ) {
    (self.stage, self.emergencyID, self.rule) = (stage, emergencyID, rule)
    (self.until, self.quietUntil) = (until, quietUntil)
  }

  /// Reads the data of an event, whose own `data` is the notice, or the response to an alert.
  package init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "stage": stage = try reader.string()
      case "episodeID": emergencyID = try reader.string()
      case "rule": rule = try reader.string()
      case "drill": isDrill = try reader.boolean()
      case "abortUntil", "answerBy": until = try reader.instant()
      case "quietUntil": quietUntil = try reader.instant()
      default: break
      }
    }
  }

  /// The stage; nil for a missing-data alarm, and for a stage unknown to this phone.
  var reached: EmergencyStage? { emergencyID == nil ? nil : EmergencyStage(apiName: stage) }

  /// Whether the emergency is in a stage before the first call.
  var isBeforeCall: Bool { reached?.isBeforeCall ?? false }
}
