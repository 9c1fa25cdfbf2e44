import HTTP
import Operations

/// How logins end; nothing of whose they are.
struct LoginMetrics: Sendable {
  private let ok: Counter
  private let wrong: Counter
  private let slowed: Counter

  /// Registers everything.
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

  /// Runs a login and counts how it ended.
  func counting(
    _ login: () async throws(Problem) -> Response
  ) async throws(Problem) -> Response {
    do throws(Problem) {
      let response = try await login()
      ok.increment()
      return response
    } catch {
      switch error.status {
      case .unauthorized: wrong.increment()
      case .tooManyRequests: slowed.increment()
      default: break
      }
      throw error
    }
  }
}
