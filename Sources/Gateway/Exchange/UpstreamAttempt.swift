import HTTP

/// One attempt to send a request to one replica.
final class UpstreamAttempt: ResponseHandler {
  let link: ReplicaLink
  /// The priority class of the request.
  let priority: PriorityClass
  /// The position in the link's list of attempts.
  var position = 0
  var stream: (any ClientStream)?
  private var exchange: GatewayExchange?

  init(_ exchange: GatewayExchange, to link: ReplicaLink, _ priority: PriorityClass) {
    self.exchange = exchange
    self.priority = priority
    self.link = link
  }

  /// Cancels the attempt; the exchange gets no further callback from it.
  func cancel() {
    let stream = stream
    end()
    stream?.cancel()
  }

  /// The replica hangs.
  func replicaEjected() { exchange?.replicaEjected() }

  // MARK: From the connection

  func received(head: consuming ResponseHead) { exchange?.relay(head) }

  func received(body: Span<UInt8>) { exchange?.relay(body) }

  func receivedEnd() {
    let exchange = exchange
    end()
    exchange?.relayEnd()
  }

  func failed(_ failure: StreamFailure) {
    let exchange = exchange
    end()
    if failure.cause == .timedOut { link.timedOut() }
    exchange?.attemptFailed(StreamFailureKind(failure), failure.cause)
  }

  func drained() { exchange?.drained() }

  private func end() {
    link.ended(self)
    exchange = nil
    stream = nil
  }
}

extension StreamFailureKind {
  /// Classifies a connection failure for the decision whether to repeat.
  init(_ failure: StreamFailure) {
    switch failure.progress {
    case .responseBegun: self = .responseBegun
    case .unprocessed: self = .unprocessed
    case .sent: self = failure.cause == .timedOut ? .late : .sent
    }
  }
}
