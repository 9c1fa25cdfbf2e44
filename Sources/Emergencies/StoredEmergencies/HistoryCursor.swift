import AutomatedSOS
import Domain
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// The cursor after an emergency in its person's history, newest first: by the time of its
/// suspicion, then by the time of its measurement, as the detector processed an upload. One
/// measurement may violate several rules; these follow the order of the rules.
struct HistoryCursor: Sendable {
  let suspectedAt: Instant
  let firstCritical: Int64
  let rule: Int16

  init(after row: EmergencyRow) {
    (suspectedAt, firstCritical) = (row.suspectedAt, row.firstCritical)
    rule = row.rule.rawValue
  }

  /// Reads the cursor of a query; without one, the beginning of the list.
  ///
  /// - Throws: `invalid` for a text that is not a cursor of a history.
  init(_ query: Query) throws(ApplicationError) {
    let first: [UInt64] = [UInt64(Int64.max), UInt64(Int64.max), UInt64(Int16.max)]
    let words = try PageCursor.words(.emergencies, in: query) ?? first
    guard let rule = Int16(exactly: words[2]) else { throw PageCursor.wrong }
    suspectedAt = Instant(microsecondsSince1970: Int64(bitPattern: words[0]))
    firstCritical = Int64(bitPattern: words[1])
    self.rule = rule
  }

  var text: String {
    PageCursor.text(
      .emergencies,
      [
        UInt64(bitPattern: suspectedAt.microsecondsSince1970), UInt64(bitPattern: firstCritical),
        UInt64(clamping: rule),
      ])
  }
}
