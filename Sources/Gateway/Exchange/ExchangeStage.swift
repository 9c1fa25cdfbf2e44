/// How far a request has come. What belongs to one stage only is held by that stage.
enum ExchangeStage {
  /// The gateway's own phases, which may have to wait for the rest of a body.
  case preparing
  /// The database is asked about a token.
  case identifying
  /// No replica takes requests now.
  case waiting
  /// A replica has the request and has not begun to answer.
  case forwarded(UpstreamAttempt)
  /// The answer has begun.
  case relaying(RelayedAnswer)
  /// The client is sent what others get too.
  case repeating(RepeatedAnswer)
  case over

  /// The sending that is under way.
  var attempt: UpstreamAttempt? {
    switch self {
    case .forwarded(let attempt): attempt
    case .relaying(let answer): answer.attempt
    case .preparing, .identifying, .waiting, .repeating, .over: nil
    }
  }

  /// Changes the answer that is relayed; nil where none is.
  mutating func changeAnswer<Result>(_ change: (inout RelayedAnswer) -> Result) -> Result? {
    guard case .relaying(var answer) = self else { return nil }
    let result = change(&answer)
    self = .relaying(answer)
    return result
  }
}
