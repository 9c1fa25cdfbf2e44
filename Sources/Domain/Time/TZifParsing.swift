extension TimeZoneRules {
  /// Parses a TZif file of version 2 or later (RFC 8536), as in `/usr/share/zoneinfo`.
  ///
  /// Throws `notTZif` for other bytes or version 1, `truncated`, `outOfRange` for counts, offsets
  /// or an order of times that the format does not allow, `leapSeconds` for a file of the `right/`
  /// kind, `badFooter` for an invalid rule text.
  package init(tzif bytes: [UInt8]) throws(TimeZoneRulesError) {
    var reader = TZifReader(bytes: bytes)
    let first = try reader.header()
    try reader.skip(first.bodyLength(timeBytes: 4))
    let header = try reader.header()
    guard header.leapSeconds == 0 else { throw .leapSeconds }
    guard header.types > 0 else { throw .outOfRange }

    var times: [Int64] = []
    for _ in 0..<header.times { times.append(try reader.signed64()) }
    guard zip(times, times.dropFirst()).allSatisfy(<) else { throw .outOfRange }
    var indices: [Int] = []
    for _ in 0..<header.times { indices.append(try reader.byte()) }
    var offsets: [Int32] = []
    for _ in 0..<header.types {
      let offset = Int32(truncatingIfNeeded: try reader.unsigned32())
      try reader.skip(2)
      guard (-89_999...93_599).contains(offset) else { throw .outOfRange }
      offsets.append(offset)
    }
    guard indices.allSatisfy({ $0 < offsets.count }) else { throw .outOfRange }
    // The lower bound is the recommendation of RFC 8536 section 3.2, the upper one is after the
    // year 9999.
    guard times.allSatisfy({ $0 >= -(1 << 59) && $0 < 400_000_000_000 })
    else { throw .outOfRange }
    try reader.skip(header.characters + header.standardFlags + header.universalFlags)

    let footer = try reader.footer()
    self.init(
      initialOffset: offsets[0], transitions: zip(times, indices).map { ($0, offsets[$1]) },
      yearly: try POSIXTimeZone.yearlyRule(footer.utf8Span.span),
      names: try POSIXTimeZone.names(footer.utf8Span.span))
  }
}

/// The reason why bytes are not valid rules of a time zone.
package enum TimeZoneRulesError: DomainError {
  /// The bytes do not start like TZif of version 2 or later.
  case notTZif
  /// The bytes end too early.
  case truncated
  /// A count, an offset or the order of times is not allowed.
  case outOfRange
  /// The file counts leap seconds.
  case leapSeconds
  /// The rule text at the end is invalid.
  case badFooter

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .notTZif: "This is not a time zone file (TZif of version 2 or later)."
    case .truncated: "The time zone file ends too early."
    case .outOfRange: "The time zone file holds a count, an offset or a time out of its range."
    case .leapSeconds: "Time zone files that count leap seconds are not supported."
    case .badFooter: "The rule at the end of the time zone file can't be read."
    }
  }
}

/// The counts of one TZif data block.
struct TZifHeader {
  var universalFlags = 0
  var standardFlags = 0
  var leapSeconds = 0
  var times = 0
  var types = 0
  var characters = 0

  func bodyLength(timeBytes: Int) -> Int {
    times * (timeBytes + 1) + types * 6 + characters + leapSeconds * (timeBytes + 4)
      + standardFlags + universalFlags
  }
}

/// Reads big-endian numbers from bytes, never beyond their end.
struct TZifReader {
  let bytes: [UInt8]
  var index = 0

  mutating func byte() throws(TimeZoneRulesError) -> Int {
    guard index < bytes.count else { throw .truncated }
    defer { index += 1 }
    return Int(bytes[index])
  }

  mutating func skip(_ count: Int) throws(TimeZoneRulesError) {
    guard count <= bytes.count - index else { throw .truncated }
    index += count
  }

  mutating func unsigned32() throws(TimeZoneRulesError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 { value = value << 8 | UInt32(try byte()) }
    return value
  }

  mutating func signed64() throws(TimeZoneRulesError) -> Int64 {
    let high = UInt64(try unsigned32())
    return Int64(bitPattern: high << 32 | UInt64(try unsigned32()))
  }

  mutating func header() throws(TimeZoneRulesError) -> TZifHeader {
    for expected in "TZif".utf8 where try byte() != Int(expected) { throw .notTZif }
    guard try byte() >= Int(ascii("2")) else { throw .notTZif }
    try skip(15)
    return TZifHeader(
      universalFlags: try count(), standardFlags: try count(), leapSeconds: try count(),
      times: try count(), types: try count(), characters: try count())
  }

  private mutating func count() throws(TimeZoneRulesError) -> Int {
    let count = try unsigned32()
    guard count <= 65_536 else { throw .outOfRange }
    return Int(count)
  }

  /// The text between the two line feeds at the end.
  mutating func footer() throws(TimeZoneRulesError) -> String {
    guard try byte() == 10 else { throw .badFooter }
    var text: [UInt8] = []
    while true {
      let next = try byte()
      if next == 10 { return String(decoding: text, as: UTF8.self) }
      text.append(UInt8(next))
    }
  }
}
