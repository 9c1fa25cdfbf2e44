import AutomatedSOS
import Domain
import Time

/// A person's position, and its time.
struct KnownPosition: Sendable, Equatable {
  let point: GeoPoint
  let time: Instant
}
