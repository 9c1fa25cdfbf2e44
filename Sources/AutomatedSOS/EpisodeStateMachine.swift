/// An episode under way, or one that is over and keeps its rule quiet for a while.
struct EpisodeStateMachine: Hashable, Sendable {
  /// How far the episode is.
  enum Stage: Hashable, Sendable {
    /// The person is warned; nothing confirms it yet.
    case suspected
    /// The person was asked.
    case asked
    /// A hospital will be called at the end of the window.
    case confirmed
    /// A hospital is called; further critical readings belong to the same emergency.
    case dispatched
    /// Aborted or closed: its rule is quiet.
    case over
  }

  /// What was decided when it began.
  let episode: Episode
  private var stage = Stage.suspected
  /// When the stage ends if nothing else happens.
  private(set) var due: Moment

  /// Begins with the first critical reading, measured at `time`.
  init(_ rule: Rule, measuredAt time: Moment, now: Moment, timing: Timing) {
    episode = Episode(
      rule: rule, firstCritical: time, suspectedAt: now,
      abortUntil: now + timing.abortMilliseconds)
    due = now + DetectorTimes.askMilliseconds
  }

  /// Goes on as it was stored; nil for one that was withdrawn.
  init?(resuming episode: Episode, _ stage: EpisodeStage) {
    switch stage {
    case .suspected(let end): (self.stage, due) = (.suspected, end)
    case .asked(let end): (self.stage, due) = (.asked, end)
    case .confirmed(let end): (self.stage, due) = (.confirmed, end)
    case .dispatched(let end): (self.stage, due) = (.dispatched, end)
    case .over(let end): (self.stage, due) = (.over, end)
    case .withdrawn: return nil
    }
    self.episode = episode
  }

  /// A further critical reading; gives what it decides.
  mutating func takeCritical(
    measuredAt time: Moment, now: Moment, timing: Timing
  ) -> Decision? {
    switch stage {
    case .suspected, .asked:
      guard time - episode.firstCritical >= timing.confirmMilliseconds else { return nil }
      return confirm(now)
    case .dispatched:
      due = now + DetectorTimes.coolDownMilliseconds
      return nil
    case .confirmed, .over: return nil
    }
  }

  /// Until when a dispatched episode keeps its rule quiet; nil at any other stage.
  var quietUntil: Moment? { stage == .dispatched ? due : nil }

  /// Whether a reading in bounds withdraws it.
  var isWithdrawnByNormal: Bool { stage == .suspected || stage == .asked }

  /// The person aborts; false if a hospital is called already or the episode is over.
  mutating func abort(_ now: Moment) -> Bool {
    guard stage != .dispatched && stage != .over else { return false }
    end(now)
    return true
  }

  /// The hospital closed it, or the person reported a false alarm; nothing before the call.
  mutating func close(_ now: Moment) {
    if stage == .dispatched { end(now) }
  }

  /// The end of a stage.
  enum StageEnd {
    case notYet
    case decided(Decision)
    /// The rule may raise another episode.
    case gone
  }

  /// Goes on to the next stage if this one ends by now.
  ///
  /// A window runs from when it was opened in fact: a person who is asked late has as long to
  /// answer as one who is asked in time.
  mutating func advance(_ now: Moment, timing: Timing) -> StageEnd {
    // No stage ends later than it would if it began now: after the clock was set back it would.
    due = min(due, now + longest(timing))
    guard due <= now else { return .notYet }
    switch stage {
    case .suspected:
      stage = .asked
      due = now + timing.abortMilliseconds
      return .decided(.asked(episode, answerBy: due))
    case .asked: return .decided(confirm(now))
    case .confirmed:
      stage = .dispatched
      due = now + DetectorTimes.coolDownMilliseconds
      return .decided(.dispatched(episode))
    case .dispatched, .over: return .gone
    }
  }

  private mutating func confirm(_ now: Moment) -> Decision {
    stage = .confirmed
    due = max(episode.abortUntil, now)
    return .confirmed(episode)
  }

  private mutating func end(_ now: Moment) {
    stage = .over
    due = now + DetectorTimes.coolDownMilliseconds
  }

  private func longest(_ timing: Timing) -> Int64 {
    switch stage {
    case .suspected: DetectorTimes.askMilliseconds
    case .asked, .confirmed: timing.abortMilliseconds
    case .dispatched, .over: DetectorTimes.coolDownMilliseconds
    }
  }
}
