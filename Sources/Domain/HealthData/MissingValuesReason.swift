/// The reason why a comparison shows no values of the person (DAT-4).
package enum MissingValuesReason: String, Sendable, CaseIterable {
  /// No sample of the type is stored.
  case noData = "no data"
  /// The type is switched off, and the period has no sample of it.
  case typeOff = "type off"
  /// There are samples, but only on days that are not closed yet.
  case dayNotClosed = "day not closed"
  /// There are samples, but all are from before the period.
  case older
}
