/// Extracts the wanted files of a zip that arrives in pieces of any size, front to back.
///
/// All other entries are inflated too, so that a truncated zip is detected wherever it was cut.
/// Call `next` until it needs more input; each call does a bounded amount of work.
package struct ZipEntryReader {
  /// The result of a call of `next`.
  package enum Step: Equatable {
    /// Append more, or finish.
    case needsInput
    /// Call again.
    case advanced
    /// Another wanted file begins.
    case begins
    /// The next bytes of the file are in `output`.
    case output
  }

  /// Which files of a zip are extracted: those with this ending, and their name in a fault.
  package enum Wanted {
    case first(String, String)
    case every(String, String)

    /// The ending of such a file's name.
    var ending: String {
      switch self {
      case .first(let ending, _), .every(let ending, _): ending
      }
    }
    /// Their name in a fault.
    var name: String {
      switch self {
      case .first(_, let name), .every(_, let name): name
      }
    }
    /// Whether files after the first one are extracted too.
    var isEvery: Bool { if case .every = self { true } else { false } }
  }

  private enum State {
    case signature
    case stored(Entry, left: UInt64)
    case deflated(Entry, Inflater)
    case descriptor(Entry)
    /// The number of central directory bytes to skip.
    case skipping(UInt64)
    case ended
  }

  /// The entry in progress.
  private struct Entry {
    let header: ZipLocalHeader
    let isWanted: Bool
    var checksum = CRC32()
    var compressed: UInt64 = 0
    var inflated: UInt64 = 0
  }

  /// The bytes of the file that the last step produced.
  package private(set) var output: [UInt8] = []
  private var state = State.signature
  private var input: [UInt8] = []
  private var used = 0
  private var hasExport = false
  /// The names of the files that may be the wanted one.
  private var names: Set<[UInt8]> = []
  private var isAfterEntries = false
  private var consumedTotal: UInt64 = 0
  private var inflatedTotal: UInt64 = 0

  /// The maximum number of bytes that one step produces.
  static let stepBytes = 64 * 1024

  private let wanted: Wanted
  private let limits: ZipLimits

  /// A reader of these files, before the first byte.
  package init(_ wanted: Wanted, within limits: ZipLimits) {
    self.wanted = wanted
    self.limits = limits
  }

  /// Appends the next piece of the zip.
  package mutating func append(_ bytes: [UInt8]) {
    input.removeFirst(used)
    used = 0
    input.append(contentsOf: bytes)
  }

  /// Advances by one step.
  ///
  /// - Throws: for data that is not a zip, for a zip of an unsupported kind, and for one that
  ///   expands beyond the limit.
  package mutating func next() throws(ZipFault) -> Step {
    switch state {
    case .signature: return try readSignature()
    case .stored(let entry, let left): return try copy(entry, left: left)
    case .deflated(let entry, let inflater): return try inflate(entry, inflater)
    case .descriptor(let entry): return try readDescriptor(entry)
    case .skipping(let left):
      let count = min(left, UInt64(input.count - used))
      used += Int(count)
      state = left == count ? .signature : .skipping(left - count)
      return left == count ? .advanced : .needsInput
    case .ended:
      used = input.count
      return .needsInput
    }
  }

  /// Ends the zip, after `next` has consumed all input.
  ///
  /// - Throws: if it ends too early, or contained no export.
  package func finish() throws(ZipFault) {
    guard case .ended = state else {
      let end = isInWantedFile ? "the \(wanted.name) in it" : "its directory"
      throw ZipFault("The zip ends before \(end) does: it is truncated.")
    }
    guard hasExport else { throw ZipFault("The zip holds no \(wanted.name).") }
  }

  /// Whether a wanted file has begun and its last byte is missing.
  package var isInWantedFile: Bool {
    switch state {
    case .stored(let entry, _), .deflated(let entry, _): entry.isWanted
    case .signature, .descriptor, .skipping, .ended: false
    }
  }

  // MARK: Headers

  private var available: Int { input.count - used }

  private mutating func readSignature() throws(ZipFault) -> Step {
    guard available >= 4 else { return .needsInput }
    let signature = input.span.little32(at: used)
    if signature == ZipLocalHeader.signature {
      guard !isAfterEntries else { throw Self.damaged }
      return try readHeader()
    }
    isAfterEntries = true
    switch signature {
    case 0x0201_4B50:  // an entry of the central directory, 4.3.12
      guard available >= 46 else { return .needsInput }
      var count: UInt64 = 46
      for place in [28, 30, 32] { count += UInt64(input.span.little16(at: used + place)) }
      state = .skipping(count)
    case 0x0606_4B50:  // the end of a large central directory, 4.3.14
      guard available >= 12 else { return .needsInput }
      let count = input.span.little64(at: used + 4)
      guard count <= 64 * 1024 else { throw Self.damaged }
      state = .skipping(12 + count)
    case 0x0706_4B50: state = .skipping(20)  // where that end lies, 4.3.15
    case 0x0605_4B50:  // the end of the central directory, 4.3.16
      guard available >= 22 else { return .needsInput }
      let count = 22 + Int(input.span.little16(at: used + 20))
      guard available >= count else { return .needsInput }
      used = input.count
      state = .ended
    default: throw Self.damaged
    }
    return .advanced
  }

  private mutating func readHeader() throws(ZipFault) -> Step {
    guard let count = ZipLocalHeader.count(input.span.extracting(used..<input.count)),
      available >= count
    else { return .needsInput }
    let header = try ZipLocalHeader(input.span.extracting(used..<used + count))
    used += count
    let isCandidate = header.isFile(endingIn: wanted.ending)
    if isCandidate { try check(header.name) }
    let isWanted = (wanted.isEvery || !hasExport) && isCandidate
    if isWanted { hasExport = true }
    let entry = Entry(header: header, isWanted: isWanted)
    switch header.method {
    case .stored: state = .stored(entry, left: header.compressedBytes)
    case .deflated:
      guard let inflater = Inflater() else {
        throw ZipFault("There is not enough memory to inflate the zip.")
      }
      state = .deflated(entry, inflater)
    }
    return isWanted ? .begins : .advanced
  }

  /// Refuses names that do not identify one file within the zip. No file is ever written under such
  /// a name, but names that programs interpret differently occur in no real export.
  private mutating func check(_ name: [UInt8]) throws(ZipFault) {
    let steps = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard name.first != UInt8(ascii: "/"), !name.contains(UInt8(ascii: "\\")),
      !steps.contains(where: { $0.elementsEqual("..".utf8) })
    else { throw ZipFault("The zip holds a file whose name points outside the zip.") }
    guard names.count < limits.filesMax else {
      throw ZipFault("The zip holds more than \(limits.filesMax) files.")
    }
    guard names.insert(name).inserted else {
      throw ZipFault("The zip holds two files of the same name.")
    }
  }

  private mutating func readDescriptor(_ entry: Entry) throws(ZipFault) -> Step {
    guard available >= ZipDescriptor.bytesMax else { return .needsInput }
    guard
      let count = ZipDescriptor.count(
        input.span.extracting(used..<used + ZipDescriptor.bytesMax),
        checksum: entry.checksum.value, compressed: entry.compressed, inflated: entry.inflated)
    else { throw Self.damaged }
    used += count
    state = .signature
    return .advanced
  }

  // MARK: Data

  private mutating func copy(_ entry: Entry, left: UInt64) throws(ZipFault) -> Step {
    var entry = entry
    let count = Int(min(left, UInt64(available), UInt64(Self.stepBytes)))
    guard count > 0 || left == 0 else { return .needsInput }
    output = Array(input[used..<used + count])
    used += count
    let rest = left - UInt64(count)
    try take(&entry, consumed: count)
    if rest == 0 {
      try checkEnd(entry)
      state = .signature
    } else {
      state = .stored(entry, left: rest)
    }
    return entry.isWanted && count > 0 ? .output : .advanced
  }

  private mutating func inflate(
    _ entry: Entry, _ inflater: Inflater
  ) throws(ZipFault) -> Step {
    var entry = entry
    guard available > 0 else { return .needsInput }
    var inflated: [UInt8] = []
    guard
      let step = inflater.step(
        input.span.extracting(used..<input.count), into: &inflated, max: Self.stepBytes)
    else { throw Self.damaged }
    output = inflated
    used += step.consumed
    try take(&entry, consumed: step.consumed)
    if step.isAtEnd {
      if entry.header.hasDescriptor {
        state = .descriptor(entry)
      } else {
        try checkEnd(entry)
        state = .signature
      }
    } else {
      state = .deflated(entry, inflater)
      if output.isEmpty, step.consumed == 0 { return .needsInput }
    }
    return entry.isWanted && !output.isEmpty ? .output : .advanced
  }

  /// Counts the bytes of a step, within the limits.
  private mutating func take(_ entry: inout Entry, consumed: Int) throws(ZipFault) {
    entry.checksum.update(output.span)
    entry.compressed += UInt64(consumed)
    entry.inflated += UInt64(output.count)
    consumedTotal += UInt64(consumed)
    inflatedTotal += UInt64(output.count)
    guard inflatedTotal <= UInt64(limits.inflatedBytesMax) else {
      throw ZipFault("The zip holds more than \(limits.inflatedBytesMax) bytes.")
    }
    let allowed =
      consumedTotal * UInt64(limits.inflationMax) + UInt64(ZipLimits.inflationSlackBytes)
    guard inflatedTotal <= allowed else {
      throw ZipFault("The zip inflates to more than \(limits.inflationMax) times its size.")
    }
  }

  /// Compares the entry's data with its header.
  private func checkEnd(_ entry: Entry) throws(ZipFault) {
    let header = entry.header
    guard entry.checksum.value == header.checksum, entry.compressed == header.compressedBytes,
      entry.inflated == header.inflatedBytes
    else { throw Self.damaged }
  }

  private static let damaged = ZipFault("The zip is damaged.")
}
