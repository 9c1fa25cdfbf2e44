/// Finds the end of a head that arrives in pieces, scanning each byte once.
struct HeadScanner {
  /// Bytes of the head already scanned.
  private var scanned = 0
  /// Offset of the current line from the start of the head.
  private var lineStart = 0

  /// The offset after the empty line that ends the head starting at `start`, or nil if it has not
  /// arrived. `input` must contain the head from its first byte in every call.
  ///
  /// - Throws: `bareLineEnd`, `targetTooLong`, `headTooLarge`.
  mutating func end(
    in input: Span<UInt8>, from start: Int, limits: HTTPLimits
  ) throws(HTTP1Error) -> Int? {
    while let lineFeed = input.firstIndex(of: ASCII.lineFeed, from: start + scanned) {
      let position = lineFeed - start
      guard position < limits.headBytesMax else { throw .headTooLarge }
      guard position > lineStart, input[lineFeed - 1] == ASCII.carriageReturn else {
        throw .bareLineEnd
      }
      if position == lineStart + 1 {
        self = HeadScanner()
        return lineFeed + 1
      }
      scanned = position + 1
      lineStart = position + 1
    }
    scanned = input.count - start
    // A method and a version take less than 64 bytes of the first line.
    if lineStart == 0, scanned > limits.targetBytesMax + 64 { throw .targetTooLong }
    if scanned >= limits.headBytesMax { throw .headTooLarge }
    return nil
  }
}
