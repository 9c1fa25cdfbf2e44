/// Decides when to log the failure of repeated work: only if the next attempt has the same one, and
/// then once. Files are replaced one after the other, so that the first failure may pass by itself.
package struct RepeatedFailure: Sendable {
  private var last: StartError?
  private var isLogged = false

  /// No attempt has failed.
  package init() {}

  /// Records the failure of an attempt; returns whether to log it.
  package mutating func note(_ error: StartError) -> Bool {
    let isRepeated = last == error
    defer { (last, isLogged) = (error, isRepeated) }
    return isRepeated && !isLogged
  }

  /// Records a success.
  package mutating func clear() { self = RepeatedFailure() }
}
