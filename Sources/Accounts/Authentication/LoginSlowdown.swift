/// The delays after consecutive wrong passwords (ACC-7).
enum LoginSlowdown {
  /// Wrong passwords without a delay; the last of them is reported to the owner.
  static let freeAttempts = 3
  /// The first and the longest delay; each is twice the previous one.
  static let pauseMin = Duration.seconds(5)
  static let pauseMax = Duration.seconds(900)

  /// How long further attempts are refused after this number of consecutive wrong passwords; nil
  /// for no delay.
  static func pause(afterWrongPasswords count: Int) -> Duration? {
    guard count >= freeAttempts else { return nil }
    let doublings = min(count - freeAttempts, 16)
    return min(pauseMax, pauseMin * (1 << doublings))
  }
}
