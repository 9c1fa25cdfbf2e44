import Operations
import ServiceKit
import Web

/// Counts the outcomes of logins, without a reference to accounts.
struct LoginMetrics: Sendable {
  private let ok: Counter
  private let wrong: Counter
  private let slowed: Counter

  /// Registers the metrics.
  init(_ metrics: Metrics) {
    func counter(_ outcome: String) -> Counter {
      metrics.counter(
        "trackme_data4help_logins_total",
        "Logins by outcome: ok, wrong (credentials), slowed (told to wait).",
        labels: [MetricLabel("outcome", outcome)])
    }
    ok = counter("ok")
    wrong = counter("wrong")
    slowed = counter("slowed")
  }

  /// Runs a login and counts its outcome.
  func counting(
    _ login: () async throws(ApplicationError) -> Response
  ) async throws(ApplicationError) -> Response {
    do throws(ApplicationError) {
      let response = try await login()
      ok.increment()
      return response
    } catch {
      switch error.reason {
      case .unauthenticated: wrong.increment()
      case .rateLimited: slowed.increment()
      default: break
      }
      throw error
    }
  }
}
