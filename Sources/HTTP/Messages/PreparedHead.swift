import Operations

/// The head of a request that is sent many times, encoded once: only its length, its number and its
/// trace differ.
package final class PreparedHead: Sendable {
  /// The head without Content-Length, `X-Request-ID` and `traceparent`.
  package let head: RequestHead
  /// The head as a field block of HTTP/2, without a compression table.
  let block: [UInt8]

  /// Encodes the head; fields that `PreparedRequest` adds are removed.
  package init(_ head: consuming RequestHead) {
    head.fields.remove(.requestID)
    head.fields.remove(.traceParent)
    head.contentLength = nil
    head.hasBody = false
    var block: [UInt8] = []
    HPACKEncoder.append(head, to: &block)
    self.block = block
    self.head = head
  }
}

/// One request with a prepared head. It is moved along, never copied.
package struct PreparedRequest: ~Copyable, Sendable {
  /// What all such requests have in common.
  package let prepared: PreparedHead
  /// The value of `X-Request-ID`.
  package let number: [UInt8]
  /// The field `traceparent`; nil for a request without a trace.
  package let trace: TraceParent?
  /// The value of Content-Length, and with more than 0 a body follows.
  package let contentLength: UInt64

  /// A request with this number and a body of this length.
  package init(
    _ prepared: PreparedHead, number: [UInt8], trace: TraceParent? = nil, contentLength: UInt64
  ) {
    self.prepared = prepared
    self.number = number
    self.trace = trace
    self.contentLength = contentLength
  }

  /// The head with all of its fields.
  package var head: RequestHead {
    var head = prepared.head
    head.fields.append(.requestID, copying: number.span)
    if let trace { head.fields.append(trace) }
    head.contentLength = contentLength
    head.hasBody = contentLength > 0
    return head
  }
}

extension HTTPFields {
  /// Whether both have the same bytes in the same places. Equal fields in other places differ here,
  /// which is cheaper to find out than `==`.
  package func isIdentical(to other: HTTPFields) -> Bool {
    guard bytes.count == other.bytes.count, entries.count == other.entries.count,
      bytes.span.equals(other.bytes.span)
    else { return false }
    let mine = entries.span
    let theirs = other.entries.span
    for index in mine.indices {
      let (left, right) = (mine[index], theirs[index])
      guard left.known == right.known, left.nameStart == right.nameStart,
        left.nameCount == right.nameCount, left.valueStart == right.valueStart,
        left.valueCount == right.valueCount
      else { return false }
    }
    return true
  }
}

extension RequestHead {
  /// Whether a receiver can't tell this head from another one, except by the trace and the length
  /// of the body.
  package func isIdentical(to other: RequestHead) -> Bool {
    isSecure == other.isSecure && hasBody == other.hasBody && method == other.method
      && target.span.equals(other.target.span) && fields.isIdentical(to: other.fields)
  }

  /// A hash of target and fields. `seed` is a secret of the process, so that a client can't
  /// choose the hash of its heads.
  package func hash(seed: UInt64) -> UInt64 {
    fields.bytes.span.hash(seed: target.span.hash(seed: seed))
  }
}
