import Domain
import JSON
import Time

/// The standing of a runner in a run at one moment: everything that some view may show.
struct LiveStanding: Hashable, Sendable {
  let entry: LiveEntrant.Entry
  let status: LiveStatus
  /// The latest fix that counted.
  let fix: Fix?
  let spot: LiveSpot?
  let finishedAt: Instant?
  let statistics: RunStatistics?
  let heartRate: Double?
  let heartRateAt: Instant?
  let meanHeartRate: Double?
  let kilocalories: Double?
  /// The rank; nil before the start.
  let rank: Int32?

  init(
    _ entrant: LiveEntrant, rank: Int32?, on timed: TimedCourse, now: Instant
  ) {
    let progress = entrant.progress
    let state = RunnerState(
      isCheckedIn: true, progress: progress, during: timed.times, now: now)
    entry = entrant.entry
    self.rank = rank
    status =
      LiveStatus(state, isOffCourse: progress.isOffCourse, isPaused: entry.isPaused) ?? .checkedIn
    fix = progress.latest
    spot = LiveSpot(progress, since: timed.times.startsAt)
    finishedAt = progress.finishedAt
    statistics = RunStatistics(of: progress, state, since: timed.times.startsAt)
    heartRate = entrant.health.heartRate
    heartRateAt = entrant.health.heartRateAt
    meanHeartRate = entrant.health.meanHeartRate
    kilocalories = entrant.health.kilocalories
  }

  /// The runner in the picture of spectators.
  var shown: LiveRunner {
    LiveRunner(name: entry.name, status: status, spot: entry.isPaused || entry.hasLeft ? nil : spot)
  }

  /// The rank shown to spectators: none for a paused runner until the finish (RUN-12).
  var shownRank: Int32? { status == .paused ? nil : rank }

  /// The audience for which a runner is written.
  enum View {
    /// Spectators: no position while paused, health only if the runner shows it.
    case spectator
    /// The organiser of the run: everything that the runner accepted.
    case organiser
    /// Co-organisers: positions, no health.
    case coOrganiser
  }

  /// Writes the fields of a runner; `name` replaces the shown one.
  func write(to writer: inout JSONWriter, for view: View, name: String? = nil) {
    writer.object { writer in
      if name == nil { writer.field("number", entry.number) }
      writer.field("runnerName", name ?? entry.name)
      writer.field("status", status.apiName)
      if !entry.hasLeft, view != .spectator || !entry.isPaused { writePosition(to: &writer) }
      if view != .spectator { writer.field("paused", entry.isPaused) }
      if view != .spectator || status != .paused { writeProgress(to: &writer) }
      if showsHealth(to: view) {
        writer.fieldIfPresent("heartRate", heartRate)
        writer.fieldIfPresent("heartRateTime", heartRateAt?.description)
        writer.fieldIfPresent("meanHeartRate", meanHeartRate.map(Self.toTenths))
        writer.fieldIfPresent("activeEnergy", kilocalories.map(Self.toTenths))
      }
    }
  }

  private func showsHealth(to view: View) -> Bool {
    switch view {
    case .organiser: !entry.hasLeft
    case .coOrganiser: false
    case .spectator: entry.showsHealth && !entry.isPaused
    }
  }

  private func writePosition(to writer: inout JSONWriter) {
    writer.fieldIfPresent("coordinate", fix?.position.text)
    writer.fieldIfPresent("time", fix?.time.description)
  }

  private func writeProgress(to writer: inout JSONWriter) {
    writer.fieldIfPresent("place", rank)
    writer.fieldIfPresent("finishTime", finishedAt?.description)
    guard let statistics else { return }
    writer.field("distance", Self.toTenths(statistics.metres))
    writer.field("seconds", Self.toTenths(statistics.seconds))
    writer.fieldIfPresent("averagePace", statistics.averagePace.map(Self.toTenths))
    writer.fieldIfPresent("currentPace", statistics.currentPace.map(Self.toTenths))
  }

  private static func toTenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

extension LiveStatus {
  /// Its name in the API.
  var apiName: String {
    switch self {
    case .checkedIn: RunnerState.checkedIn.rawValue
    case .running: RunnerState.running.rawValue
    case .offCourse: "off course"
    case .signalLost: RunnerState.signalLost.rawValue
    case .finished: RunnerState.finished.rawValue
    case .paused: "paused"
    case .didNotStart: RunnerState.didNotStart.rawValue
    case .didNotFinish: RunnerState.didNotFinish.rawValue
    }
  }
}
