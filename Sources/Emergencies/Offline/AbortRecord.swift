import AutomatedSOS
import Bytes
import Domain
import Operations
import Time

/// An acknowledged abort in the journal: identifiers, the rule and times, without readings,
/// position or name.
package struct AbortRecord: Sendable, Hashable {
  /// The emergency.
  package let id: UniversalID
  /// The account of the emergency.
  package let account: AccountID
  let rule: EmergencyRule
  let firstCritical: Int64
  let suspectedAt: Instant
  let abortUntil: Instant
  let abortedAt: Instant

  /// Nil for an emergency that is not aborted.
  init?(_ row: EmergencyRow) {
    guard row.stage == .aborted, let endedAt = row.endedAt else { return nil }
    (id, account, rule) = (row.id, row.account, row.rule)
    (firstCritical, suspectedAt, abortUntil) = (row.firstCritical, row.suspectedAt, row.abortUntil)
    abortedAt = endedAt
  }

  /// The emergency before the abort.
  var before: FollowedEmergency {
    FollowedEmergency(
      id: id, account: account, rule: rule, stage: .suspected, firstCritical: firstCritical,
      suspectedAt: suspectedAt, abortUntil: abortUntil, dueAt: nil, quietUntil: nil)
  }
}

/// A line of the journal. It ends with a checksum, which detects truncated and damaged lines.
enum AbortLine {
  /// An abort was accepted.
  case aborted(AbortRecord)
  /// The abort is stored.
  case stored(UniversalID)

  private static let abortedWord = "aborted"
  private static let storedWord = "stored"

  /// The line with its end.
  var bytes: [UInt8] {
    let text =
      switch self {
      case .aborted(let record):
        ([Self.abortedWord, record.id.description] + record.numbers.map(\.description))
          .joined(separator: " ")
      case .stored(let id): "\(Self.storedWord) \(id)"
      }
    return Array("\(text) \(Self.checksum(text))\n".utf8)
  }

  /// Nil for a truncated or damaged line.
  init?(_ text: Substring) {
    guard let end = text.lastIndex(of: " "),
      text[text.index(after: end)...] == Self.checksum(String(text[..<end]))
    else { return nil }
    let words = text[..<end].split(separator: " ", omittingEmptySubsequences: false)
    guard words.count >= 2, let id = UniversalID(String(words[1])) else { return nil }
    switch String(words[0]) {
    case Self.storedWord where words.count == 2: self = .stored(id)
    case Self.abortedWord:
      let numbers = words.dropFirst(2).compactMap { Int64($0) }
      guard numbers.count == words.count - 2, let record = AbortRecord(id, numbers) else {
        return nil
      }
      self = .aborted(record)
    default: return nil
    }
  }

  private static func checksum(_ text: String) -> String {
    let digits = String(FNV1a.hash(text), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension AbortRecord {
  /// The fields after the identifier: account, rule and times.
  fileprivate var numbers: [Int64] {
    [
      account.rawValue, Int64(rule.rawValue), firstCritical, suspectedAt.microsecondsSince1970,
      abortUntil.microsecondsSince1970, abortedAt.microsecondsSince1970,
    ]
  }

  /// Reads these fields; nil if they are invalid.
  fileprivate init?(_ id: UniversalID, _ numbers: [Int64]) {
    guard numbers.count == 6,
      let rule = Int16(exactly: numbers[1]).flatMap(EmergencyRule.init(rawValue:))
    else { return nil }
    (self.id, account, self.rule) = (id, AccountID(rawValue: numbers[0]), rule)
    firstCritical = numbers[2]
    suspectedAt = Instant(microsecondsSince1970: numbers[3])
    abortUntil = Instant(microsecondsSince1970: numbers[4])
    abortedAt = Instant(microsecondsSince1970: numbers[5])
  }
}
