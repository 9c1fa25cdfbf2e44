/// A live run as spectators see it at one moment: where each runner is, as far as it is shown
/// (R52).
///
/// Everything is in whole numbers, so that a picture and its changes say exactly the same to
/// everybody: hundred-thousandths of a degree (about a metre), metres, seconds.
package struct LivePicture: Hashable, Sendable {
  /// The number of the picture: each run counts its own, one at a time.
  package var number: Int64
  /// The runners by their numbers in the run.
  package var runners: [Int32: LiveRunner]

  /// A picture of these runners.
  package init(number: Int64, runners: [Int32: LiveRunner] = [:]) {
    self.number = number
    self.runners = runners
  }
}

/// A runner in a live picture.
package struct LiveRunner: Hashable, Sendable {
  /// What everybody may call the runner.
  package var name: String
  /// What is shown instead of, or beside, the place.
  package var status: LiveStatus
  /// Where the runner last was; nil before the first fix, and while sharing is paused (RUN-12).
  package var spot: LiveSpot?

  /// A runner of the given parts.
  package init(name: String, status: LiveStatus, spot: LiveSpot?) {
    self.name = name
    self.status = status
    self.spot = spot
  }
}

/// Where a runner was, and when.
package struct LiveSpot: Hashable, Sendable {
  /// Latitude in hundred-thousandths of a degree.
  package var latitudeE5: Int32
  /// Longitude in hundred-thousandths of a degree.
  package var longitudeE5: Int32
  /// The metres along the course.
  package var metres: Int32
  /// The seconds from the start of the run to the fix.
  package var second: Int32

  /// A spot of the given numbers.
  package init(latitudeE5: Int32, longitudeE5: Int32, metres: Int32, second: Int32) {
    self.latitudeE5 = latitudeE5
    self.longitudeE5 = longitudeE5
    self.metres = metres
    self.second = second
  }

  /// Where a runner was by the latest fix that counted; nil without one.
  package init?(_ progress: RunnerProgress, since startsAt: Timestamp) {
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

/// What spectators are told of a runner who is watched; the raw value is the one on the wire.
package enum LiveStatus: Int32, Hashable, Sendable, CaseIterable {
  case checkedIn = 0
  case running = 1
  case offCourse = 2
  case signalLost = 3
  case finished = 4
  case paused = 5
  case didNotStart = 6
  case didNotFinish = 7

  /// The status of a runner in this state; nil of who has not checked in, and is not watched.
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
