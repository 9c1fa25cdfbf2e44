import Bytes
import CLinux

// Byte operations that need a pointer: `memchr` is three times as fast as a loop over a span, and a
// bulk append must not copy byte by byte.

extension Span where Element == UInt8 {
  /// The offset of the first `byte` at or after `start`, or nil.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    guard start < count else { return nil }
    return unsafe withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return nil }
      // SAFETY: start < count, so pointer and length stay inside the buffer.
      guard let found = unsafe memchr(base + start, Int32(byte), count - start) else { return nil }
      return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
  }

  /// Whether all bytes are allowed in a field value.
  var isFieldValue: Bool {
    let words = count / 8
    let isSuspect = unsafe withUnsafeBytes { bytes in
      var faults: UInt64 = 0
      for index in 0..<words {
        // SAFETY: eight bytes at 8 * index are within the buffer, since index is below count / 8.
        let word = unsafe bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)
        faults |= Self.controls(in: word)
      }
      return faults != 0
    }
    // Tabs are rare: a word with one is checked by its bytes.
    for index in (isSuspect ? 0 : 8 * words)..<count where !ASCII.isFieldValue(self[index]) {
      return false
    }
    return true
  }

  /// Not 0 if one of the eight bytes is below 0x20 or is 0x7F: the borrow of a subtraction reaches
  /// the highest bit of the lowest such byte.
  @inline(__always)
  private static func controls(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let deletes = word ^ (ones &* 0x7F)
    return ((word &- ones &* 0x20) & ~word | (deletes &- ones) & ~deletes) & (ones &* 0x80)
  }

  /// Whether the bytes equal those of `text`.
  package func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    return unsafe withUnsafeBufferPointer { buffer in
      // SAFETY: both sides have `count` bytes; a static string's bytes live forever.
      guard let base = buffer.baseAddress else { return true }
      return unsafe memcmp(base, text.utf8Start, buffer.count) == 0
    }
  }

  /// Whether the bytes equal `text`, ignoring ASCII case; `text` must be in lower case.
  package func equalsIgnoringCase(_ text: StaticString) -> Bool {
    // SAFETY: a static string's bytes live forever.
    equalsIgnoringCase(unsafe Span(_unsafeStart: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Whether the bytes equal `text`, ignoring ASCII case; `text` must be in lower case.
  package func equalsIgnoringCase(_ text: Span<UInt8>) -> Bool {
    guard count == text.count else { return false }
    for index in 0..<count where ASCII.lowercased(self[index]) != text[index] { return false }
    return true
  }

  /// Whether the bytes equal those of an array.
  package func equals(_ other: [UInt8]) -> Bool { equals(other.span) }

  /// Whether both spans hold the same bytes.
  package func equals(_ other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBufferPointer { mine in
      unsafe other.withUnsafeBufferPointer { theirs in
        guard let left = mine.baseAddress, let right = theirs.baseAddress else { return true }
        // SAFETY: both buffers have `count` bytes.
        return unsafe memcmp(left, right, mine.count) == 0
      }
    }
  }
}

extension OutputSpan where Element == UInt8 {
  /// Appends a copy of the bytes; the program stops if there is no room for them.
  @inline(__always)
  package mutating func append(copying bytes: Span<UInt8>) {
    // SAFETY: the bytes fit into the rest of the room, as checked, and both buffers are used only
    // in the closures.
    unsafe withUnsafeMutableBufferPointer { room, count in
      unsafe bytes.withUnsafeBufferPointer { source in
        guard let start = room.baseAddress, let from = source.baseAddress else { return }
        precondition(source.count <= room.count - count, "there is no room for the bytes")
        unsafe (start + count).initialize(from: from, count: source.count)
        count += source.count
      }
    }
  }

  /// Appends the bytes of a literal; the program stops if there is no room for them.
  package mutating func append(literal text: StaticString) {
    // SAFETY: a static string's bytes live forever.
    append(copying: unsafe Span(_unsafeStart: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

extension Array where Element == UInt8 {
  /// Appends a copy of the bytes.
  package mutating func append(copying bytes: Span<UInt8>) {
    append(addingCapacity: bytes.count) { output in
      // SAFETY: the capacity is reserved for exactly these bytes, and both buffers are used only in
      // the closures.
      unsafe output.withUnsafeMutableBufferPointer { room, count in
        unsafe bytes.withUnsafeBufferPointer { source in
          guard let start = room.baseAddress, let from = source.baseAddress else { return }
          unsafe start.initialize(from: from, count: source.count)
          count = source.count
        }
      }
    }
  }

  /// Appends the bytes of a literal.
  package mutating func append(literal text: StaticString) {
    // SAFETY: a static string's bytes live forever.
    append(copying: unsafe Span(_unsafeStart: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// A copy of the bytes.
  package init(copying bytes: Span<UInt8>) {
    // SAFETY: the buffer is read before the closure returns, and no pointer to it is kept.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }
}

extension String {
  /// The text of UTF-8 bytes; invalid sequences become U+FFFD.
  package init(copying bytes: Span<UInt8>) {
    // SAFETY: the buffer is read before the closure returns, and no pointer to it is kept.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension StaticString {
  /// Whether both texts are equal.
  func isEqual(to other: StaticString) -> Bool {
    // SAFETY: a static string's bytes live forever.
    unsafe Span(_unsafeStart: utf8Start, count: utf8CodeUnitCount).equals(other)
  }
}

extension Span where Element == UInt8 {
  /// The range without leading and trailing spaces and tabs. A range, because a span can't be
  /// returned.
  var trimmedRange: Range<Int> {
    var start = 0
    var end = count
    while start < end, self[start] == ASCII.space || self[start] == ASCII.tab { start += 1 }
    while end > start, self[end - 1] == ASCII.space || self[end - 1] == ASCII.tab { end -= 1 }
    return start..<end
  }
}

extension Span where Element == UInt8 {
  /// A hash of the bytes, eight at a time (multiply and fold, as in wyhash).
  func hash(seed: UInt64) -> UInt64 {
    unsafe withUnsafeBytes { bytes in
      var hash = seed &+ UInt64(bytes.count) &* SplitMix64.increment
      var offset = 0
      while offset + 8 <= bytes.count {
        // SAFETY: the loop condition checks that the eight bytes are in the buffer.
        let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        hash = Self.fold(hash ^ word)
        offset += 8
      }
      var rest: UInt64 = 0
      while offset < bytes.count {
        rest = unsafe rest << 8 | UInt64(bytes[offset])
        offset += 1
      }
      return Self.fold(hash ^ rest)
    }
  }

  @inline(__always)
  private static func fold(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0xa076_1d64_78bd_642f)
    return product.high ^ product.low
  }
}
