import HTTP
import PublicAPI
import Time

/// Applies the rate limits to a request (GW-5).
package enum AdmitPhase {
  /// Applies the limits by address, before anything of the body is read.
  ///
  /// Failure: 429 with `Retry-After`.
  package static func byAddress(
    _ peer: PeerAddress, _ rate: Endpoint.Rate, at now: MonotonicInstant, _ limits: RateLimits?
  ) throws(Problem) {
    guard let wait = limits?.takeAddress(peer, rate: rate, at: now) else { return }
    throw .tooManyRequests(retryAfter: seconds(wait))
  }

  /// Applies the limits by account, once the account is known.
  ///
  /// Failure: 429 with `Retry-After`.
  package static func byAccount(
    _ account: Int64, _ rate: Endpoint.Rate, at now: MonotonicInstant, _ limits: RateLimits?
  ) throws(Problem) {
    guard let wait = limits?.takeAccount(account, rate: rate, at: now) else { return }
    throw .tooManyRequests(retryAfter: seconds(wait))
  }

  /// Whole seconds, rounded up.
  private static func seconds(_ wait: Duration) -> Int {
    Int((wait.wholeNanoseconds + 999_999_999) / 1_000_000_000)
  }
}
