/// What is to be done, in the order in which it was decided. Each is given once.
public enum Decision: Hashable, Sendable {
  /// Warn the person: they can abort.
  case suspected(Emergency)
  /// Ask the person, who can abort until then: nothing has confirmed the emergency for 30 s.
  case asked(Emergency, answerBy: Moment)
  /// Take the warning back: a reading was in bounds again before the emergency was confirmed.
  case withdrawn(Emergency)
  /// Readings, or the want of an answer, confirm the emergency; the window for aborting goes on.
  case confirmed(Emergency)
  /// The person aborted in time: nobody is called.
  case aborted(Emergency)
  /// Call the hospital.
  case dispatched(Emergency)
  /// Tell the person, once, that since then nothing has come that could be judged.
  case silent(since: Moment)
}

/// What became of one reading.
public struct Judgement: Hashable, Sendable {
  /// What the reading is.
  public let verdict: Verdict
  /// What is to be done now; mostly nothing.
  public let decisions: [Decision]
}

/// What a reading is.
public enum Verdict: Hashable, Sendable {
  /// It breaks a rule.
  case critical
  /// It breaks none.
  case normal
  /// It says whether the person exercises.
  case context
  /// It counts for nothing.
  case ignored(IgnoredReading)
}

/// Why a reading counts for nothing: it raises, confirms and withdraws no emergency.
public enum IgnoredReading: Hashable, Sendable {
  /// No living person has such a value, or systolic pressure is not above diastolic. A heart rate
  /// of 0 to 19 BPM is one where its source had no pulse in the minute before.
  case implausible
  /// A heart rate of 0 to 19 BPM of a device that says that it was taken off.
  case offBody
  /// It is more than five minutes ahead of our clock.
  case ahead
  /// It is the newest one again, or older than it.
  case late
  /// The sensor gave the same value 60 times in a row or more.
  case stuck
  /// It is more than 60 s old.
  case stale
  /// It was measured while monitoring was paused.
  case paused
}
