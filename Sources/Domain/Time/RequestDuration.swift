/// The length of a subscription: whole seconds, from one second to ten years (R20).
package struct RequestDuration: Hashable, Comparable, Sendable {
  /// The length in seconds.
  package let seconds: Int64

  /// The shortest duration, one second.
  package static let shortest = RequestDuration(unchecked: 1)

  /// The longest duration, ten years of 365.25 days.
  package static let longest = RequestDuration(unchecked: 315_576_000)

  private init(unchecked seconds: Int64) { self.seconds = seconds }

  /// Creates a duration of whole seconds.
  ///
  /// Throws `tooShort` under one second and `tooLong` over ten years.
  package init(seconds: Int64) throws(RequestDurationError) {
    guard seconds >= Self.shortest.seconds else { throw .tooShort }
    guard seconds <= Self.longest.seconds else { throw .tooLong }
    self.init(unchecked: seconds)
  }

  /// Whether the left duration is shorter than the right one.
  package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
}

/// The reason why a number of seconds is not a valid duration.
package enum RequestDurationError: DomainError {
  /// Less than one second.
  case tooShort
  /// More than ten years.
  case tooLong

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .tooShort: "A subscription lasts at least one second."
    case .tooLong: "A subscription lasts at most ten years (315576000 seconds)."
    }
  }
}
