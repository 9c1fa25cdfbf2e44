/// An action to take. Decisions are returned once, in the order in which they were made.
public enum Decision: Hashable, Sendable {
  /// Warn the person, who can abort.
  case suspected(Emergency)
  /// Ask the person, who can abort until `answerBy`: the emergency was not confirmed for 30 s.
  case asked(Emergency, answerBy: Moment)
  /// Withdraw the warning: a reading was in bounds again before the emergency was confirmed.
  case withdrawn(Emergency)
  /// Readings, or a missing answer, confirmed the emergency; the window for aborting continues.
  case confirmed(Emergency)
  /// The person aborted in time: no call is made.
  case aborted(Emergency)
  /// Call the hospital.
  case dispatched(Emergency)
  /// Notify the person, once, that no reading that could be judged has arrived since then.
  case silent(since: Moment)
}

/// The result of taking one reading.
public struct Judgement: Hashable, Sendable {
  /// The classification of the reading.
  public let verdict: Verdict
  /// The decisions to act on now; usually none.
  public let decisions: [Decision]
}

/// The classification of a reading.
public enum Verdict: Hashable, Sendable {
  /// It breaks a rule.
  case critical
  /// It breaks no rule.
  case normal
  /// It indicates whether the person exercises.
  case context
  /// It is ignored.
  case ignored(IgnoredReading)
}

/// The reason why a reading is ignored: it neither raises, confirms nor withdraws an emergency.
public enum IgnoredReading: Hashable, Sendable {
  /// The value is impossible for a living person, or systolic pressure is not above diastolic. A
  /// heart rate of 0 to 19 BPM is implausible if its source had no pulse in the minute before.
  case implausible
  /// A heart rate of 0 to 19 BPM from a device that reports that it was taken off.
  case offBody
  /// It is more than five minutes ahead of our clock.
  case ahead
  /// It repeats the newest reading, or is older.
  case late
  /// The sensor reported the same value at least 60 times in a row.
  case stuck
  /// It is more than 60 s old.
  case stale
  /// It was measured while monitoring was paused.
  case paused
}
