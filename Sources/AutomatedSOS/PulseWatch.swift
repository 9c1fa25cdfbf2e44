/// The state for detecting a loss of pulse: the sources with a recent pulse, a first reading
/// without one, and the newest fall or shaking (docs/facts.md, SOS, loss of pulse).
struct PulseWatch: Hashable, Sendable {
  /// A pending first reading without a pulse and what followed it; no one has been notified yet.
  private struct Loss: Hashable {
    let first: Moment
    var newest: Moment
    var askAt: Moment
    let source: Int32
    var isOnBody: Bool
  }

  /// When a source last had a pulse.
  private struct Source: Hashable {
    let number: Int32
    var pulse: Moment
  }

  /// State that most people never need.
  private struct Notes: Hashable {
    var fell = Moment.first
    /// Sources other than that of the newest heart rate, and sources whose newest reading was no
    /// pulse.
    var sources: [Source] = []
    var loss: Loss?
  }

  /// At most one element; without any, nothing is allocated.
  private var notes: [Notes] = []

  /// When the person is asked if no reading follows the pending one; nil if none is pending.
  var askAt: Moment? { notes.first?.loss?.askAt }

  private mutating func change(_ body: (inout Notes) -> Void) {
    if notes.isEmpty { notes = [Notes()] }
    body(&notes[0])
  }

  /// Records a fall or shaking measured at `time`.
  mutating func noteFall(_ time: Moment) { change { $0.fell = max($0.fell, time) } }

  /// Remembers a source's pulse when a reading of another source, or one without a pulse, follows.
  mutating func keepPulse(of source: Int32, _ pulse: Moment, at time: Moment) {
    change { notes in
      notes.sources.removeAll { $0.number == source || !Self.isRecent($0.pulse, at: time) }
      notes.sources.append(Source(number: source, pulse: pulse))
    }
  }

  /// Records a judged pulse or movement measured at `time`; an earlier loss is no longer pending.
  mutating func noteLife(_ time: Moment) {
    if let loss = notes.first?.loss, loss.first < time { notes[0].loss = nil }
  }

  /// Records that the device was taken off: its readings without a pulse mean nothing.
  mutating func noteOffBody(_ source: Int32) {
    if notes.first?.loss?.source == source { notes[0].loss = nil }
  }

  /// Whether a reading without a pulse is a loss and not a sensor fault: its source had a pulse
  /// within the minute before, or reported the pending first reading. `pulse` is the source's last
  /// pulse if that is the newest heart rate of all sources.
  func isLoss(from source: Int32, at time: Moment, pulse: Moment?) -> Bool {
    if let pulse, Self.isRecent(pulse, at: time) { return true }
    guard let notes = notes.first else { return false }
    return notes.loss?.source == source
      || notes.sources.contains { $0.number == source && Self.isRecent($0.pulse, at: time) }
  }

  private static func isRecent(_ moment: Moment, at time: Moment) -> Bool {
    time - moment <= DetectorTimes.pulseMilliseconds
  }

  /// Takes a loss measured at `time`; returns whether it confirms the pending one.
  mutating func take(
    from source: Int32, _ time: Moment, isOnBody: Bool, now: Moment
  ) -> Bool {
    guard var loss = notes.first?.loss else {
      change {
        $0.loss = Loss(
          first: time, newest: time, askAt: now + DetectorTimes.pulseAskMilliseconds,
          source: source, isOnBody: isOnBody)
      }
      return false
    }
    loss.newest = time
    if isOnBody { loss.isOnBody = true }
    notes[0].loss = loss
    return time - loss.first >= DetectorTimes.pulseConfirmMilliseconds
  }

  /// Turns the pending loss into an emergency; nil if none is pending.
  mutating func begin(at now: Moment, timing: Timing) -> RunningEmergency? {
    guard let loss = notes.first?.loss else { return nil }
    notes[0].loss = nil
    let isSure = loss.isOnBody || Self.isRecent(notes[0].fell, at: loss.newest)
    let window =
      isSure ? DetectorTimes.surePulseAbortMilliseconds : timing.pulseAbortMilliseconds
    return RunningEmergency(.lossOfPulse, measuredAt: loss.first, now: now, window: window)
  }

  /// Limits the time until the person is asked to its full length from now, which matters after the
  /// clock was set back.
  mutating func limit(at now: Moment) {
    guard let askAt else { return }
    notes[0].loss?.askAt = min(askAt, now + DetectorTimes.pulseAskMilliseconds)
  }
}
