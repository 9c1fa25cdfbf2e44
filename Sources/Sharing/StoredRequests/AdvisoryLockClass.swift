/// The classes of a transaction's advisory locks; each lock has a class and a number.
///
/// A number that a client can choose, such as the hash of an identifier, so never collides with a
/// lock of another purpose. A transaction takes at most one lock of each class, in this order,
/// after the lock of its `Idempotency-Key`: locks without a class have numbers that no client can
/// choose.
package enum AdvisoryLockClass: Int32 {
  /// The identifier that a third party chose for a request.
  case identifier = 1
  /// Releasing statistics of groups.
  case releases = 2
  /// The pending requests of one third party to one person.
  case asking = 3
  /// The end of a request: exclusive for an end, shared by downloads and mails.
  case ending = 4
}
