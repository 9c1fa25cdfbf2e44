import EventLoop

/// The bytes of a mail that libcurl takes piece by piece; for one conversation and its thread.
package final class OutgoingBody {
  private let bytes: [UInt8]
  private var position = 0

  /// The whole text, as it goes over the wire.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether everything was taken.
  package var isRead: Bool { position == bytes.count }

  /// The next piece, at most `countMax` bytes; empty at the end.
  package func next(_ countMax: Int) -> ArraySlice<UInt8> {
    let piece = bytes[position..<min(bytes.count, position + countMax)]
    position = piece.endIndex
    return piece
  }
}

/// When a conversation has to end before the server says so.
package final class ConversationDeadline {
  private let body: OutgoingBody
  private let recall: MailRecall
  private let handOverBy: MonotonicInstant

  /// A mail with this text, all of which the server is to have by then.
  package init(_ body: OutgoingBody, _ recall: MailRecall, handOverBy: MonotonicInstant) {
    self.body = body
    self.recall = recall
    self.handOverBy = handOverBy
  }

  /// Whether it was called back; or is late, or the process ends, and the server has not got all of
  /// it: one that has is waited for, else it would come twice.
  package func isOver(at now: MonotonicInstant) -> Bool {
    recall.isMade || (!body.isRead && (recall.isBrokenOff || now >= handOverBy))
  }
}
