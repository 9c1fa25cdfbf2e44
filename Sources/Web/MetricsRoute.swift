import HTTP
import Operations

extension Route {
  /// `GET /metrics` in the text format of Prometheus (0.0.4), for the private port.
  package static func metrics(_ metrics: Metrics) -> Route {
    Route(.get, "/metrics") { (_) throws(Problem) in
      Response(
        contentType: "text/plain; version=0.0.4; charset=utf-8", bytes: Array(metrics.text().utf8))
    }
  }
}

extension Route {
  /// `GET /ready` for the private port, queried by the supervisor of the process; 503 if `isReady`
  /// returns false.
  package static func readiness(_ isReady: @escaping @Sendable () -> Bool) -> Route {
    Route(.get, "/ready") { (_) throws(Problem) in
      guard isReady() else { throw .unavailable(retryAfter: 1) }
      return .json(Array("{\"status\":\"ready\"}".utf8))
    }
  }
}

extension Service.Exchange {
  /// Writes the access line of the request at level `debug`: operators use the gateway's line, and
  /// a second line here would cost more than the rest of a small request. Contains no path, query
  /// or address, because they may identify a person.
  package func write(to log: Log) {
    // An unknown method is arbitrary text of the client.
    let name = if case .other = method { "other" } else { method.text }
    log.following(requestID).debug(
      "request",
      [
        .safe("method", OperatorText(name)),
        .safe("route", OperatorText(pattern ?? "unknown")), .number("status", status.code),
        .seconds("duration", duration), .flag("whole", isWhole),
      ])
  }
}
