/// The names already read in each open object, to refuse duplicates.
///
/// The first 16 names of an object are compared as they are added. If it has more, all are sorted
/// and compared at its end, so that the cost is O(n log n) for any names; a hash would allow chosen
/// collisions.
struct FieldNames: ~Copyable {
  /// A name: its position in the text and, if it has escapes, in `decoded`.
  struct Name {
    var start: Int
    var count: Int
    /// Its start in `decoded`; negative if it has no escapes.
    var decodedStart: Int
    /// The complete name if it has up to seven bytes; otherwise its length (low seven bits), first
    /// three and last four bytes.
    var mark: UInt64
  }

  private var names: [Name] = []
  private var decoded: [UInt8] = []
  private static let comparedAtOnceMax = 16

  /// The number of names stored, which is the index of the next object's first name.
  var count: Int { names.count }

  /// Adds a name to the object whose names begin at `first`; returns false if it is already known
  /// to be a duplicate.
  mutating func add(
    _ range: Range<Int>, decoded text: [UInt8]?, first: Int, in bytes: [UInt8]
  ) -> Bool {
    var name = Name(start: range.lowerBound, count: range.count, decodedStart: -1, mark: 0)
    if let text {
      name.decodedStart = decoded.count
      name.count = text.count
      decoded.append(contentsOf: text)
      name.mark = Self.mark(of: decoded, from: decoded.count - text.count, count: text.count)
    } else {
      name.mark = Self.mark(of: bytes, from: name.start, count: name.count)
    }
    if names.count - first < Self.comparedAtOnceMax {
      var index = first
      while index < names.count {
        if names[index].mark == name.mark, order(names[index], name, in: bytes) == 0 {
          return false
        }
        index += 1
      }
    }
    if names.isEmpty { names.reserveCapacity(Self.comparedAtOnceMax) }
    names.append(name)
    return true
  }

  /// Removes the names from `first` on, at the end of their object.
  ///
  /// Returns the start (after its quote) of the first duplicate that `add` did not detect, or nil.
  mutating func close(first: Int, in bytes: [UInt8]) -> Int? {
    var repeated: Int?
    if names.count - first > Self.comparedAtOnceMax {
      let sorted = names[first...].sorted { left, right in
        order(left, right, in: bytes) < 0
      }
      for index in sorted.indices.dropFirst() {
        let (left, right) = (sorted[index - 1], sorted[index])
        guard left.mark == right.mark, order(left, right, in: bytes) == 0 else { continue }
        let later = max(left.start, right.start)
        repeated = min(repeated ?? later, later)
      }
    }
    forget(from: first)
    return repeated
  }

  /// Removes the names from `first` on.
  mutating func forget(from first: Int) {
    names.removeLast(names.count - first)
    if names.isEmpty { decoded.removeAll(keepingCapacity: true) }
  }

  private static func mark(of bytes: [UInt8], from start: Int, count: Int) -> UInt64 {
    var mark = UInt64(truncatingIfNeeded: count & 0x7F | (count > 7 ? 0x80 : 0))
    for index in start..<start + min(count, 3) { mark = mark << 8 | UInt64(bytes[index]) }
    let rest = min(max(count - 3, 0), 4)
    for index in start + count - rest..<start + count { mark = mark << 8 | UInt64(bytes[index]) }
    return mark
  }

  /// Compares two names: negative, zero or positive if `left` sorts before, equal to or after
  /// `right`.
  private func order(_ left: Name, _ right: Name, in bytes: [UInt8]) -> Int {
    if left.mark != right.mark { return left.mark < right.mark ? -1 : 1 }
    if left.count != right.count { return left.count < right.count ? -1 : 1 }
    if left.count <= 7 { return 0 }
    for index in 0..<left.count {
      let leftByte = byte(index, of: left, in: bytes)
      let rightByte = byte(index, of: right, in: bytes)
      if leftByte != rightByte { return leftByte < rightByte ? -1 : 1 }
    }
    return 0
  }

  @inline(__always)
  private func byte(_ index: Int, of name: Name, in bytes: [UInt8]) -> UInt8 {
    name.decodedStart < 0 ? bytes[name.start + index] : decoded[name.decodedStart + index]
  }
}
