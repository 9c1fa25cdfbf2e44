/// The state that detects a loss of pulse: the sources that had a pulse lately, a first reading
/// without one, and the newest fall or shaking (docs/facts.md, SOS, loss of pulse).
struct PulseWatch: Hashable, Sendable {
  /// A first reading without a pulse, and what followed it; no one is notified yet.
  private struct Loss: Hashable {
    let first: Moment
    var newest: Moment
    var askAt: Moment
    let source: Int32
    var isOnBody: Bool
  }

  /// When a source had a pulse.
  private struct Source: Hashable {
    let number: Int32
    var pulse: Moment
  }

  /// State that most people never have.
  private struct Notes: Hashable {
    var fell = Moment.first
    /// Sources whose newest reading is not the newest heart rate of all, or was no pulse.
    var sources: [Source] = []
    var loss: Loss?
  }

  /// One at most: a person without any allocates nothing.
  private var notes: [Notes] = []

  /// When the person is asked if nothing follows the first reading; nil where none waits.
  var askAt: Moment? { notes.first?.loss?.askAt }

  private mutating func change(_ body: (inout Notes) -> Void) {
    if notes.isEmpty { notes = [Notes()] }
    body(&notes[0])
  }

  /// A fall or shaking, measured then.
  mutating func noteFall(_ time: Moment) { change { $0.fell = max($0.fell, time) } }

  /// Keeps when a source had a pulse, beside a reading of another one or without one.
  mutating func keepPulse(of source: Int32, _ pulse: Moment, at time: Moment) {
    change { notes in
      notes.sources.removeAll { $0.number == source || !Self.isRecent($0.pulse, at: time) }
      notes.sources.append(Source(number: source, pulse: pulse))
    }
  }

  /// A pulse that was judged, or movement, measured then: what was measured before does not wait.
  mutating func noteLife(_ time: Moment) {
    if let loss = notes.first?.loss, loss.first < time { notes[0].loss = nil }
  }

  /// The device says that it was taken off: its readings without a pulse mean nothing.
  mutating func noteOffBody(_ source: Int32) {
    if notes.first?.loss?.source == source { notes[0].loss = nil }
  }

  /// Whether a reading without a pulse is a loss, not a fault of the sensor: its source had one
  /// within the minute before, or gave the first such reading. `pulse` is when it had one, if that
  /// is the newest heart rate of all.
  func isLoss(from source: Int32, at time: Moment, pulse: Moment?) -> Bool {
    if let pulse, Self.isRecent(pulse, at: time) { return true }
    guard let notes = notes.first else { return false }
    return notes.loss?.source == source
      || notes.sources.contains { $0.number == source && Self.isRecent($0.pulse, at: time) }
  }

  private static func isRecent(_ moment: Moment, at time: Moment) -> Bool {
    time - moment <= DetectorTimes.pulseMilliseconds
  }

  /// Takes a loss, measured then; whether it confirms the first one.
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

  /// The loss that waits, which is an emergency from now on; nil where none waits.
  mutating func begin(at now: Moment, timing: Timing) -> RunningEmergency? {
    guard let loss = notes.first?.loss else { return nil }
    notes[0].loss = nil
    let isSure = loss.isOnBody || Self.isRecent(notes[0].fell, at: loss.newest)
    let window =
      isSure ? DetectorTimes.surePulseAbortMilliseconds : timing.pulseAbortMilliseconds
    return RunningEmergency(.lossOfPulse, measuredAt: loss.first, now: now, window: window)
  }

  /// Nothing waits longer than if it began now: after the clock was set back it would.
  mutating func limit(at now: Moment) {
    guard let askAt else { return }
    notes[0].loss?.askAt = min(askAt, now + DetectorTimes.pulseAskMilliseconds)
  }
}
