/// Where a runner's device was, and when by its own clock.
///
/// Fixes have one order: by time, and of one moment by place. Whatever order they arrive in, they
/// are counted in this one.
package struct Fix: Hashable, Comparable, Sendable {
  /// When, by the device's clock.
  package let time: Timestamp
  /// Where.
  package let position: GeoPoint
  /// How far off the position may be, in metres.
  package let accuracyMetres: Double

  /// What is taken for the accuracy of a position that came without: what satellites give a phone
  /// under open sky, doubled (GPS.gov, "GPS accuracy": 4.9 m).
  package static let accuracyUsual = 10.0

  /// A fix of the given parts; an accuracy that is no positive number counts as none.
  package init(time: Timestamp, position: GeoPoint, accuracyMetres: Double? = nil) {
    self.time = time
    self.position = position
    let isUsable = accuracyMetres.map { $0 > 0 && $0.isFinite } ?? false
    self.accuracyMetres = isUsable ? accuracyMetres ?? Self.accuracyUsual : Self.accuracyUsual
  }

  /// Whether the left fix counts before the right one.
  package static func < (left: Self, right: Self) -> Bool { left.order < right.order }

  private var order: (Int64, Int32, Int32, Double) {
    (
      time.millisecondsSince1970, position.latitudeE7, position.longitudeE7, accuracyMetres
    )
  }
}

extension Timestamp {
  /// The seconds from another instant to this one, negative if it comes later.
  package func seconds(since other: Timestamp) -> Double {
    Double(millisecondsSince1970 - other.millisecondsSince1970) / 1000
  }
}
