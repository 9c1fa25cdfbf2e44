/// The names already met in each open object, to refuse one that comes twice.
///
/// Up to 16 names of an object are compared as they come. More are compared once at its end, in
/// order, so that an object of many names costs n log n whatever the names are: there is no hash
/// that a client could choose collisions for.
struct FieldNames: ~Copyable {
  /// A name: where it stands in the text and, if it has escapes, where it stands decoded.
  struct Name {
    var start: Int
    var count: Int
    /// Where it begins in `decoded`; negative if it has no escapes.
    var decodedStart: Int
    /// All of a name of up to seven bytes; else its length, first three and last four bytes.
    var mark: UInt64
  }

  private var names: [Name] = []
  private var decoded: [UInt8] = []
  private static let comparedAtOnceMax = 16

  /// How many names are held: the beginning of the next object's names.
  var count: Int { names.count }

  /// Adds a name of the object whose names begin at `first`; false if it is known to be there.
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
    names.append(name)
    return true
  }

  /// Forgets the names from `first` on at the end of their object.
  ///
  /// Returns where a name that came twice begins (behind its quote), if it was not noticed when it
  /// was added.
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

  /// Forgets the names from `first` on.
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

  /// Negative, zero or positive as `left` sorts before, with or after `right`.
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
