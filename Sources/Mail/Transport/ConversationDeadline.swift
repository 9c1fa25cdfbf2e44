import Time

/// The bytes of a mail, which libcurl reads piece by piece; for one conversation and its thread.
package final class OutgoingBody {
  private let bytes: [UInt8]
  private var position = 0

  /// The whole text in wire format.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether all bytes were read.
  package var isRead: Bool { position == bytes.count }

  /// The next piece, at most `countMax` bytes; empty at the end.
  package func next(_ countMax: Int) -> ArraySlice<UInt8> {
    let piece = bytes[position..<min(bytes.count, position + countMax)]
    position = piece.endIndex
    return piece
  }
}

/// Decides when a conversation must end before the server answers.
package final class ConversationDeadline {
  private let body: OutgoingBody
  private let revocation: MailRevocation
  private let handOverBy: MonotonicInstant

  /// The deadline by which the server must have received the whole text.
  package init(_ body: OutgoingBody, _ revocation: MailRevocation, handOverBy: MonotonicInstant) {
    self.body = body
    self.revocation = revocation
    self.handOverBy = handOverBy
  }

  /// Whether to interrupt the conversation. That is when the mail was called back, or when it is
  /// late or the process stops and the server has not received all of the text. Once it has, the
  /// worker waits for the answer, because a retry would deliver the mail twice.
  package func isOver(at now: MonotonicInstant) -> Bool {
    revocation.isMade || (!body.isRead && (revocation.isBrokenOff || now >= handOverBy))
  }
}
