/// The bodies of requests.
extension HTTP2ClientSession {
  /// Requests and answers of one turn beyond this size wait in the streams, so that each stream
  /// notices congestion.
  private static let framedBytesMax = 64 * 1024

  /// Frames a part of a body at once if windows and buffers allow all of it.
  func frame(_ body: Span<UInt8>, of stream: HTTP2ClientStream, endStream: Bool) -> Bool {
    let room = min(sendWindow, stream.sendWindow, HTTP2FrameReader.payloadBytesMax)
    guard stream.id != 0, body.count <= room, writer.count < Self.framedBytesMax else {
      return false
    }
    guard endStream || body.count > 0 else { return true }
    write { $0.data(body, stream: stream.id, endStream: endStream) }
    sendWindow -= body.count
    stream.sendWindow -= body.count
    flood.sentData()
    if endStream { sentWhole(stream) }
    announceOutput()
    return true
  }

  /// Adds a stream to those whose bodies are framed at the end of the turn.
  func makeReady(_ stream: HTTP2ClientStream) {
    guard !stream.isReady, stream.id != 0 else { return }
    stream.isReady = true
    var moved: [HTTP2ClientStream] = []
    swap(&moved, &ready)
    moved.append(stream)
    swap(&moved, &ready)
    announceOutput()
  }

  /// Frames queued bodies, one frame of each stream in turn.
  func frameBodies(into output: inout [UInt8], upTo bytesMax: Int) {
    var kept: [HTTP2ClientStream] = []
    var list: [HTTP2ClientStream] = []
    swap(&list, &ready)
    var index = 0
    while index < list.count, output.count < bytesMax {
      let stream = list[index]
      index += 1
      stream.isReady = false
      guard stream.isOpen, !stream.isSentWhole else { continue }
      let room = min(sendWindow, stream.sendWindow, HTTP2FrameReader.payloadBytesMax)
      let count = max(0, min(room, stream.queue.count))
      let isLast = stream.isEndQueued && count == stream.queue.count
      if count > 0 || isLast {
        output.appendFrame(.data, isLast ? .endStream : [], length: count, stream: stream.id)
        if stream.moveBody(count, to: &output) { drained = drained + [stream] }
        sendWindow -= count
        stream.sendWindow -= count
        flood.sentData()
        if isLast {
          sentWhole(stream)
        } else if !stream.queue.isEmpty {
          stream.isReady = true
          list.append(stream)
        }
      } else if stream.sendWindow > 0, !stream.queue.isEmpty {
        // It waits for the connection's window; one that waits for its own returns with that.
        stream.isReady = true
        kept.append(stream)
      }
    }
    list.replaceSubrange(0..<index, with: kept)
    ready = list + ready
  }

  private func sentWhole(_ stream: HTTP2ClientStream) {
    stream.isSentWhole = true
    if stream.isReceivedWhole { close(stream, .finished) }
  }

  /// Whether the peer may have received the request.
  func mayHaveSent(_ stream: HTTP2ClientStream) -> Bool {
    stream.id != 0 && Int(stream.id) <= movedID
  }

  /// Grants the peer more of a stream's window.
  func returnCredit(to stream: HTTP2ClientStream, _ bytes: Int) {
    guard !isLost, !isCutOff else { return }
    write { $0.windowUpdate(stream: stream.id, bytes) }
    announceOutput()
  }
}
