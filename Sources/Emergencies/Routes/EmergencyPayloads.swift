import Bytes
import Domain
import HealthRecords
import JSON
import PublicAPI
import ServiceKit
import Time

/// The body of `POST /sos/alert`.
struct AlertPayload: JSONReadable {
  /// The most readings of one alert.
  static let readingsMax = 100

  /// One of its readings.
  struct Entry: JSONReadable {
    let reading: EmergencyReading
    /// Whether the device was worn; nil if unknown.
    let isOnBody: Bool?

    init(from reader: inout JSONReader) throws(JSONError) {
      var isOnBody: Bool?
      reading = try EmergencyReading(from: &reader, isOnBody: &isOnBody)
      self.isOnBody = isOnBody
    }
  }

  let rule: EmergencyRule
  let readings: [Entry]
  let coordinate: GeoPoint?
  /// Whether the device will send no other reading.
  let isLast: Bool

  init(from reader: inout JSONReader) throws(JSONError) {
    var rule: EmergencyRule?
    var readings: [Entry]?
    var coordinate: GeoPoint?
    var isLast = false
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "last": isLast = try reader.boolean()
      case "rule": rule = try Self.rule(&reader)
      case "readings":
        let given = try reader.list(of: Entry.self, countMax: Self.readingsMax)
        guard !given.isEmpty else { throw reader.refusal("Give at least one reading.") }
        readings = given
      case "coordinate":
        coordinate = try reader.parsed { (text) throws(GeoPointError) in
          try GeoPoint(utf8: text)
        }
      default: break
      }
    }
    self.rule = try reader.mandatory("rule", rule)
    self.readings = try reader.mandatory("readings", readings)
    self.coordinate = coordinate
    self.isLast = isLast
  }

  private static func rule(_ reader: inout JSONReader) throws(JSONError) -> EmergencyRule {
    let apiName = try reader.string()
    let rules = EmergencyRule.allCases.filter { $0 != .drill }
    guard let rule = rules.first(where: { $0.apiName == apiName }) else {
      throw reader.refusal("A rule is one of \(rules.map(\.apiName).joined(separator: ", ")).")
    }
    return rule
  }

  /// The readings as if this device had uploaded them.
  ///
  /// - Throws: `invalid` for a reading that is too far in the future or too old.
  func samples(from device: Int32, at now: Instant) throws(ApplicationError) -> ReceivedSamples {
    for (index, entry) in readings.enumerated() {
      try checked("readings[\(index)].timestamp") { () throws(SampleTimeError) in
        try SampleTimeLimits.check(entry.reading.time, now: now)
      }
    }
    return Self.samples(readings, from: device)
  }

  private static func samples(_ entries: [Entry], from device: Int32) -> ReceivedSamples {
    ReceivedSamples(
      entries.map { entry in
        NewSample(
          type: entry.reading.type, time: entry.reading.time, device: device,
          value: entry.reading.value)
      }, onBody: entries.map(\.isOnBody))
  }

  /// The readable part of a rejected body, and whether it announces that no other reading follows.
  static func readable(
    in body: [UInt8], from device: Int32
  ) -> (readings: ReceivedSamples, isLast: Bool) {
    var entries: [Entry] = []
    var isLast = false
    var reader = JSONReader(body)
    do throws(JSONError) {
      try reader.beginObject()
      while let key = try reader.nextField() {
        let range = try reader.skip()
        if key == "readings" { entries = Self.entries(in: body, range) }
        if key == "last" { isLast = body[range].elementsEqual("true".utf8) }
      }
    } catch { return (samples(entries, from: device), isLast) }
    return (samples(entries, from: device), isLast)
  }

  private static func entries(in body: [UInt8], _ range: Range<Int>) -> [Entry] {
    var entries: [Entry] = []
    var reader = JSONReader(body, in: range)
    do throws(JSONError) {
      try reader.beginArray(countMax: readingsMax)
      while try reader.nextElement() {
        var single = JSONReader(body, in: try reader.skip())
        do throws(JSONError) { entries.append(try Entry(from: &single)) } catch { continue }
      }
    } catch { return entries }
    return entries
  }

  /// The position of the alert. It is accepted whatever types the device was paired for, because
  /// help needs it to find the person.
  func position(from device: Int32, at now: Instant) -> [NewSample] {
    guard let coordinate else { return [] }
    return [NewSample(type: .position, time: now, device: device, value: .position(coordinate))]
  }
}

extension UniversalID {
  /// The identifier of an emergency in a body.
  ///
  /// - Throws: `invalid` for a text other than a UUID.
  fileprivate init(episodeID text: String) throws(ApplicationError) {
    guard let identifier = UniversalID(text) else {
      throw .invalid(
        "An episodeID is a UUID such as 123e4567-e89b-12d3-a456-426614174000.",
        field: "episodeID")
    }
    self = identifier
  }
}

extension EmergencyBody {
  /// The identifier of the emergency.
  ///
  /// - Throws: `invalid` for a text other than a UUID.
  func id() throws(ApplicationError) -> UniversalID { try UniversalID(episodeID: emergencyID) }
}

extension CloseCallBody {
  /// The emergency and its outcome.
  ///
  /// - Throws: `invalid` for a text other than a UUID, and for an unknown outcome.
  func closing() throws(ApplicationError) -> (id: UniversalID, outcome: EmergencyOutcome) {
    let id = try UniversalID(episodeID: emergencyID)
    guard let outcome = EmergencyOutcome(apiName: outcome) else {
      let names = EmergencyOutcome.allCases.map(\.apiName).joined(separator: ", ")
      throw .invalid("An outcome is one of \(names).", field: "outcome")
    }
    return (id, outcome)
  }
}
