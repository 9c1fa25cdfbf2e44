/// The stage of a request. State that belongs to one stage is held by its case.
enum ExchangeStage {
  /// The gateway's own phases, which may wait for the rest of the body.
  case preparing
  /// A token is being looked up in the database.
  case identifying
  /// The request waits because no replica currently accepts requests.
  case waiting
  /// A replica has the request and has not started its response.
  case forwarded(UpstreamAttempt)
  /// The response is being relayed.
  case relaying(RelayedAnswer)
  /// A shared response is being sent.
  case repeating(CachedResponseProgress)
  case over

  /// The current attempt.
  var attempt: UpstreamAttempt? {
    switch self {
    case .forwarded(let attempt): attempt
    case .relaying(let answer): answer.attempt
    case .preparing, .identifying, .waiting, .repeating, .over: nil
    }
  }

  /// Changes the response being relayed; nil if none is.
  mutating func changeAnswer<Result>(_ change: (inout RelayedAnswer) -> Result) -> Result? {
    guard case .relaying(var answer) = self else { return nil }
    let result = change(&answer)
    self = .relaying(answer)
    return result
  }
}
