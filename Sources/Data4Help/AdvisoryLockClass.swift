/// What a transaction waits for by an advisory lock of its own class and a number.
///
/// A number that somebody chooses, as that of an identifier, so never meets the lock of something
/// else. A transaction takes at most one of each class, in this order, after the one of its
/// `Idempotency-Key`: locks without a class have numbers that nobody can choose.
enum AdvisoryLockClass: Int32 {
  /// The identifier that a third party chose for a request.
  case identifier = 1
  /// Releasing statistics of groups.
  case releases = 2
  /// One third party asking one person.
  case asking = 3
}
