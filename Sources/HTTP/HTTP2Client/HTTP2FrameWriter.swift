/// Writes a client's frames into one buffer, which is passed on once per turn.
struct HTTP2FrameWriter {
  /// Capacity kept after a copy, for each connection of a loop to a replica: that of some hundred
  /// heads, which one turn may send.
  private static let keptCapacityMax = 128 * 1024

  private var bytes: [UInt8] = []
  private var isTableAnnounced = false

  var count: Int { bytes.count }
  var isEmpty: Bool { bytes.isEmpty }

  /// Writes a client's preface with its settings, and the connection's window.
  mutating func begin(_ settings: HTTP2Settings) {
    bytes.append(literal: HTTP2Preface.text)
    let entries: [(HTTP2SettingID, UInt32)] = [
      (.headerTableSize, 0), (.enablePush, 0),
      (.initialWindowSize, UInt32(settings.streamWindow)),
      (.headerListBytesMax, UInt32(settings.headBytesMax)),
    ]
    bytes.appendFrame(.settings, length: 6 * entries.count, stream: 0)
    for (id, value) in entries {
      bytes.append(UInt8(id.rawValue >> 8))
      bytes.append(UInt8(id.rawValue & 0xFF))
      bytes.append(bigEndian: value)
    }
    let increment = Int(settings.connectionWindow) - HTTP2FlowControl.initialWindow
    if increment > 0 { windowUpdate(stream: 0, increment) }
  }

  /// Writes the head of a request.
  mutating func head(_ head: borrowing RequestHead, stream: Int32, endStream: Bool) {
    let start = beginHead(stream: stream, endStream: endStream)
    HPACKEncoder.append(head, to: &bytes)
    endHead(from: start, stream: stream, endStream: endStream)
  }

  /// Writes the head of a request that is prepared.
  mutating func head(_ request: borrowing PreparedRequest, stream: Int32, endStream: Bool) {
    let start = beginHead(stream: stream, endStream: endStream)
    HPACKEncoder.append(request, to: &bytes)
    endHead(from: start, stream: stream, endStream: endStream)
  }

  private mutating func beginHead(stream: Int32, endStream: Bool) -> Int {
    let start = bytes.count
    let flags: HTTP2FrameFlags = endStream ? [.endStream, .endHeaders] : .endHeaders
    bytes.appendFrame(.headers, flags, length: 0, stream: stream)
    if !isTableAnnounced {
      isTableAnnounced = true
      bytes.append(HPACKEncoder.noTable)
    }
    return start
  }

  private mutating func endHead(from start: Int, stream: Int32, endStream: Bool) {
    let length = bytes.count - start - HTTP2FrameHeader.bytes
    guard length <= HTTP2FrameReader.payloadBytesMax else {
      return divide(from: start, stream: stream, endStream: endStream)
    }
    bytes[start] = UInt8(truncatingIfNeeded: length >> 16)
    bytes[start + 1] = UInt8(truncatingIfNeeded: length >> 8)
    bytes[start + 2] = UInt8(truncatingIfNeeded: length)
  }

  /// Writes the block after `start` again, as HEADERS and CONTINUATION.
  private mutating func divide(from start: Int, stream: Int32, endStream: Bool) {
    let block = Array(bytes[(start + HTTP2FrameHeader.bytes)...])
    bytes.removeSubrange(start...)
    bytes.appendHead(block.span, stream: stream, endStream: endStream)
  }

  /// Writes a part of a body.
  mutating func data(_ body: Span<UInt8>, stream: Int32, endStream: Bool) {
    bytes.appendFrame(
      .data, endStream ? .endStream : [], length: body.count, stream: stream)
    bytes.append(copying: body)
  }

  mutating func reset(stream: Int32, _ code: HTTP2ErrorCode) {
    bytes.appendFrame(.resetStream, length: 4, stream: stream)
    bytes.append(bigEndian: code.rawValue)
  }

  mutating func windowUpdate(stream: Int32, _ increment: Int) {
    bytes.appendFrame(.windowUpdate, length: 4, stream: stream)
    bytes.append(bigEndian: UInt32(increment))
  }

  mutating func acknowledgeSettings() {
    bytes.appendFrame(.settings, .acknowledgement, length: 0, stream: 0)
  }

  /// Answers a PING with its payload.
  mutating func pong(_ payload: Span<UInt8>) {
    bytes.appendFrame(.ping, .acknowledgement, length: payload.count, stream: 0)
    bytes.append(copying: payload)
  }

  /// Ends the connection; a server without push has opened no stream.
  mutating func goAway(_ code: HTTP2ErrorCode) {
    bytes.appendFrame(.goAway, length: 8, stream: 0)
    bytes.append(bigEndian: UInt32(0))
    bytes.append(bigEndian: code.rawValue)
  }

  /// Moves all frames to the end of `output`.
  mutating func move(to output: inout [UInt8]) {
    if output.isEmpty { return swap(&output, &bytes) }
    output.append(copying: bytes.span)
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacityMax)
  }
}

extension Array where Element == UInt8 {
  /// Appends a field block as HEADERS and CONTINUATION of the least maximum length.
  mutating func appendHead(_ block: Span<UInt8>, stream: Int32, endStream: Bool) {
    var offset = 0
    while offset < block.count {
      let count = Swift.min(HTTP2FrameReader.payloadBytesMax, block.count - offset)
      var flags: HTTP2FrameFlags = offset == 0 && endStream ? .endStream : []
      if offset + count == block.count { flags.insert(.endHeaders) }
      let type: HTTP2FrameType = offset == 0 ? .headers : .continuation
      appendFrame(type, flags, length: count, stream: stream)
      append(copying: block.extracting(offset..<(offset + count)))
      offset += count
    }
  }

  /// Appends the header of a frame.
  mutating func appendFrame(
    _ type: HTTP2FrameType, _ flags: HTTP2FrameFlags = [], length: Int, stream: Int32
  ) {
    append(addingCapacity: HTTP2FrameHeader.bytes) { output in
      output.append(UInt8(truncatingIfNeeded: length >> 16))
      output.append(UInt8(truncatingIfNeeded: length >> 8))
      output.append(UInt8(truncatingIfNeeded: length))
      output.append(type.rawValue)
      output.append(flags.rawValue)
      output.append(UInt8(truncatingIfNeeded: stream >> 24))
      output.append(UInt8(truncatingIfNeeded: stream >> 16))
      output.append(UInt8(truncatingIfNeeded: stream >> 8))
      output.append(UInt8(truncatingIfNeeded: stream))
    }
  }

  fileprivate mutating func append(bigEndian value: UInt32) {
    append(UInt8(truncatingIfNeeded: value >> 24))
    append(UInt8(truncatingIfNeeded: value >> 16))
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }
}
