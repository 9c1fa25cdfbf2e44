import CNghttp2

// Heads of a server's responses, which are encoded here instead of in the library.

extension HTTP2Session {
  /// Appends a frame of the library. An empty field block is that of a response: its head is
  /// encoded in its place.
  func append(frame: Span<UInt8>, to output: inout [UInt8]) {
    guard role == .server, frame.count >= HTTP2FrameHeader.bytes,
      UInt32(frame[3]) == NGHTTP2_HEADERS.rawValue
    else { return output.append(copying: frame) }
    let header = HTTP2FrameHeader(frame, at: 0)
    let block = frame.extracting(HTTP2FrameHeader.bytes..<frame.count)
    guard encoder.applySizes(in: block) == block.count, let head = headToEncode.take() else {
      return output.append(copying: frame)
    }
    let start = output.count
    output.append(copying: frame)
    encoder.append(head, to: &output)
    setLength(of: header, from: start, in: &output)
  }

  /// Writes the length of the frame that begins at `start`, or divides it.
  private func setLength(
    of header: HTTP2FrameHeader, from start: Int, in output: inout [UInt8]
  ) {
    let length = output.count - start - HTTP2FrameHeader.bytes
    guard length > HTTP2FrameReader.payloadBytesMax else {
      output[start] = UInt8(truncatingIfNeeded: length >> 16)
      output[start + 1] = UInt8(truncatingIfNeeded: length >> 8)
      output[start + 2] = UInt8(truncatingIfNeeded: length)
      return
    }
    let block = Array(output[(start + HTTP2FrameHeader.bytes)...])
    output.removeSubrange(start...)
    output.appendHead(
      block.span, stream: header.stream, endStream: header.endsStream)
  }
}
