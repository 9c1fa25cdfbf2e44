import AutomatedSOS
import Bytes
import Cryptography
import Domain
import JSON
import ServiceKit
import Time

/// The data behind an emergency, sealed with the person's key: readings and the position (SOS-8).
struct EmergencyDetails: Sendable, Equatable, JSONReadable, JSONWritable {
  /// The most readings stored for an emergency, oldest first.
  static let readingsMax = 300
  /// The most of them that the emergency is based on; the oldest of these are kept.
  private static let basisMax = 60
  /// An older position is stale, and the call states that (SOS-9).
  static let staleMilliseconds: Int64 = 300_000

  private(set) var readings: [EmergencyReading] = []
  private(set) var position: KnownPosition?

  init() {}

  /// The details of a transition.
  init(_ transition: EmergencyTransition) { add(transition) }

  /// Adds the readings and position of a further transition.
  mutating func add(_ transition: EmergencyTransition) {
    add(
      transition.readings + transition.vitalSigns,
      since: transition.emergency.firstCritical.milliseconds)
    note(transition.position)
  }

  /// Adds readings that belong to an emergency whose first critical reading was measured at a time,
  /// in milliseconds since 1970. If there are too many, those that the emergency is based on stay
  /// and the others are thinned.
  mutating func add(_ more: [EmergencyReading], since firstCritical: Int64) {
    let first = Instant(millisecondsSince1970: firstCritical - VitalSigns.milliseconds)
    var seen: Set<EmergencyReading.Identity> = []
    let basis = (readings + more).filter { $0.isBasis && seen.insert($0.identity).inserted }
      .sorted { $0.time < $1.time }.prefix(Self.basisMax)
    let others = (readings + more).filter {
      $0.time >= first && seen.insert($0.identity).inserted
    }.sorted { $0.time < $1.time }
    let kept = VitalSigns.thinned(others, to: Self.readingsMax - basis.count)
    readings = (basis + kept).sorted {
      ($0.time, $0.type.rawValue) < ($1.time, $1.type.rawValue)
    }
  }

  /// Removes readings of these types, which the person has switched off, unless the emergency is
  /// based on them.
  mutating func leaveOut(_ types: DataTypeSet) {
    readings.removeAll { !$0.isBasis && types.contains($0.type) }
  }

  /// Stores a position that is newer than the present one.
  mutating func note(_ newest: KnownPosition?) {
    guard let newest, newest.time >= position?.time ?? .firstWritable else { return }
    position = newest
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "readings":
        readings = try reader.list(of: EmergencyReading.self, countMax: Self.readingsMax)
      case "position": position = try reader.null() ? nil : try KnownPosition(from: &reader)
      default: break
      }
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("readings", readings)
      writer.field("position", position)
    }
  }

  /// Writes the fields shown to people and hospitals.
  func writeFields(at time: Instant, to writer: inout JSONWriter) {
    writer.field("readings", readings)
    guard let position else { return writer.null("position") }
    writer.object("position") { writer in
      writer.field("coordinate", position.point.text)
      writer.field("time", position.time.description)
      writer.field("stale", isStale(at: time))
    }
  }

  /// Whether there is a position that is too old to rely on at a time.
  func isStale(at time: Instant) -> Bool {
    position.map { $0.time < time.adding(milliseconds: -Self.staleMilliseconds) } ?? false
  }

  /// Seals the details for an emergency of the key's account.
  func sealed(for id: UniversalID, under key: SealingKey) -> [UInt8] {
    key.sealJSON(of: self, for: Self.context(id))
  }

  /// Opens the details of an emergency.
  ///
  /// - Throws: `internalError` if they were not sealed for it.
  init(_ row: EmergencyRow, under key: SealingKey) throws(ApplicationError) {
    try self.init(sealed: row.sealedDetails, of: row.id, under: key)
  }

  /// Opens the details of an emergency with this identifier.
  ///
  /// - Throws: `internalError` if they were not sealed for it.
  init(sealed: [UInt8], of id: UniversalID, under key: SealingKey) throws(ApplicationError) {
    self = try mapStorageError { () throws(CryptographyError) in
      try key.openJSON(EmergencyDetails.self, sealed.span, for: Self.context(id))
    }
  }

  private static func context(_ id: UniversalID) -> SealContext {
    SealContext(table: "emergencies", column: "sealed_details", row: SealRow(id))
  }
}

extension KnownPosition: JSONReadable, JSONWritable {
  init(from reader: inout JSONReader) throws(JSONError) {
    var point: GeoPoint?
    var time: Instant?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "coordinate":
        point = try reader.parsed { (text) throws(GeoPointError) in try GeoPoint(utf8: text) }
      case "time": time = try reader.instant()
      default: break
      }
    }
    self.point = try reader.mandatory("coordinate", point)
    self.time = try reader.mandatory("time", time)
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("coordinate", point.text)
      $0.field("time", time.description)
    }
  }
}
