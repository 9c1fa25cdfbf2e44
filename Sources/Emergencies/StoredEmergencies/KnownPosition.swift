import AutomatedSOS
import Domain

/// A person's position, and its time.
struct KnownPosition: Sendable, Equatable {
  let point: GeoPoint
  let time: Timestamp
}
