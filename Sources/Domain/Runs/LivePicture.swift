import Time

/// A live run as spectators see it at one moment: the position of each runner, as far as it is
/// shown (R52).
///
/// All numbers are whole, so that pictures and changes are exactly the same for every spectator:
/// hundred-thousandths of a degree (about a metre), metres, seconds.
package struct LivePicture: Hashable, Sendable {
  /// The number of the picture; each run numbers its pictures consecutively.
  package var number: Int64
  /// The runners, by number in the run.
  package var runners: [Int32: LiveRunner]

  /// Creates a picture of these runners.
  package init(number: Int64, runners: [Int32: LiveRunner] = [:]) {
    self.number = number
    self.runners = runners
  }
}

/// A runner in a live picture.
package struct LiveRunner: Hashable, Sendable {
  /// The runner's name as shown to the public.
  package var name: String
  /// The status shown instead of, or beside, the position.
  package var status: LiveStatus
  /// The runner's last spot; nil before the first fix, and while sharing is paused (RUN-12).
  package var spot: LiveSpot?

  /// Creates a runner from its parts.
  package init(name: String, status: LiveStatus, spot: LiveSpot?) {
    self.name = name
    self.status = status
    self.spot = spot
  }
}

/// A runner's position at a time.
package struct LiveSpot: Hashable, Sendable {
  /// Latitude in hundred-thousandths of a degree.
  package var latitudeE5: Int32
  /// Longitude in hundred-thousandths of a degree.
  package var longitudeE5: Int32
  /// The distance along the course in metres.
  package var metres: Int32
  /// The seconds from the start of the run to the fix.
  package var second: Int32

  /// Creates a spot from its numbers.
  package init(latitudeE5: Int32, longitudeE5: Int32, metres: Int32, second: Int32) {
    self.latitudeE5 = latitudeE5
    self.longitudeE5 = longitudeE5
    self.metres = metres
    self.second = second
  }

  /// The spot of the latest fix that counted; nil without one.
  package init?(_ progress: RunnerProgress, since startsAt: Instant) {
    guard let latest = progress.latest else { return nil }
    self.init(
      latitudeE5: Self.rounded(latest.position.latitudeE7),
      longitudeE5: Self.rounded(latest.position.longitudeE7),
      metres: Int32(clamping: Int64(progress.metres)),
      second: Int32(clamping: Int64(latest.time.seconds(since: startsAt))))
  }

  private static func rounded(_ scaled: Int32) -> Int32 {
    (scaled + (scaled < 0 ? -50 : 50)) / 100
  }
}

/// The status of a watched runner for spectators; the raw value is the one on the wire.
package enum LiveStatus: Int32, Hashable, Sendable, CaseIterable {
  case checkedIn = 0
  case running = 1
  case offCourse = 2
  case signalLost = 3
  case finished = 4
  case paused = 5
  case didNotStart = 6
  case didNotFinish = 7

  /// The status of a runner in this state; nil for an unwatched runner without check-in.
  package init?(_ state: RunnerState, isOffCourse: Bool, isPaused: Bool) {
    switch state {
    case .enrolled: return nil
    case .finished: self = .finished
    case .didNotStart: self = .didNotStart
    case .didNotFinish: self = .didNotFinish
    case .checkedIn: self = isPaused ? .paused : .checkedIn
    case .running: self = isPaused ? .paused : isOffCourse ? .offCourse : .running
    case .signalLost: self = isPaused ? .paused : .signalLost
    }
  }
}
