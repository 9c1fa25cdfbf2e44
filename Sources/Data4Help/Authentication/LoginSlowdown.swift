/// How attempts are slowed down after wrong passwords in a row (ACC-7).
enum LoginSlowdown {
  /// Wrong passwords that cost nothing; the last of them is reported to the owner.
  static let freeAttempts = 3
  /// The first pause, and the longest; each is twice the one before.
  static let pauseMin = Duration.seconds(5)
  static let pauseMax = Duration.seconds(900)

  /// How long nobody may try again after so many wrong passwords in a row; nil for not at all.
  static func pause(afterWrongPasswords count: Int) -> Duration? {
    guard count >= freeAttempts else { return nil }
    let doublings = min(count - freeAttempts, 16)
    return min(pauseMax, pauseMin * (1 << doublings))
  }
}
