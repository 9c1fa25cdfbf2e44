import Time

/// A position fix of a runner's device, with its time by the device's clock.
///
/// Fixes have a total order: by time, and at equal times by position. They are always evaluated in
/// this order, regardless of the order of arrival.
package struct Fix: Hashable, Comparable, Sendable {
  /// The time, by the device's clock.
  package let time: Instant
  /// The position.
  package let position: GeoPoint
  /// The accuracy of the position, in metres.
  package let accuracyMetres: Double

  /// The assumed accuracy of a position without one: twice that of a phone under open sky (GPS.gov,
  /// "GPS accuracy": 4.9 m).
  package static let accuracyUsual = 10.0

  /// Creates a fix; an accuracy that is not a positive number counts as missing.
  package init(time: Instant, position: GeoPoint, accuracyMetres: Double? = nil) {
    self.time = time
    self.position = position
    let isUsable = accuracyMetres.map { $0 > 0 && $0.isFinite } ?? false
    self.accuracyMetres = isUsable ? accuracyMetres ?? Self.accuracyUsual : Self.accuracyUsual
  }

  /// Whether the left fix is before the right one.
  package static func < (left: Self, right: Self) -> Bool { left.order < right.order }

  private var order: (Int64, Int32, Int32, Double) {
    (
      time.millisecondsSince1970, position.latitudeE7, position.longitudeE7, accuracyMetres
    )
  }
}

extension Instant {
  /// The seconds from another instant to this one, negative if that is later.
  package func seconds(since other: Instant) -> Double {
    Double(millisecondsSince1970 - other.millisecondsSince1970) / 1000
  }
}
