import Domain
import JSON
import Postgres

/// The kind of a notice; the raw value is that of the column.
package enum NoticeKind: Int16, PostgresValue, CaseIterable {
  /// A new request for data.
  case request = 1
  /// A request was answered, or expired.
  case answer = 2
  /// A subscription has ended, or will soon.
  case ended = 3
  /// The room for samples is used up, and the oldest were dropped.
  case room = 4
  /// An event that concerns the account's security.
  case security = 5
  /// An alarm of AutomatedSOS.
  case alarm = 6
  /// A run of Track4Run.
  case run = 7

  /// The API's name, and the event's name in streams.
  package var apiName: String {
    switch self {
    case .request: "request"
    case .answer: "answer"
    case .ended: "ended"
    case .room: "room"
    case .security: "security"
    case .alarm: "alarm"
    case .run: "run"
    }
  }

  /// The kind with this API name; nil for an unknown name.
  package init?(apiName: String) {
    guard let kind = Self.allCases.first(where: { $0.apiName == apiName }) else { return nil }
    self = kind
  }

  /// Its bit in a set of kinds.
  package var bit: Int16 { 1 << (rawValue - 1) }

  /// The set of all kinds.
  static let allBits = allCases.reduce(0) { $0 | $1.bit }

  /// The kinds of a set of bits.
  static func kinds(_ bits: Int16) -> [NoticeKind] { allCases.filter { bits & $0.bit != 0 } }
}

/// A message to an account about an event (NTF-1).
package struct Notice: Sendable {
  /// The recipient.
  package let account: AccountID
  /// The kind.
  package let kind: NoticeKind
  /// Whether a separate mail has the same content, so that the notice itself is not mailed.
  let isMailedApart: Bool
  /// The JSON object; sealed where it is stored.
  package let payload: [UInt8]

  /// A notice; `fields` writes the fields of its JSON object.
  package init(
    _ kind: NoticeKind, to account: AccountID, isMailedApart: Bool = false,
    _ fields: (inout JSONWriter) -> Void
  ) {
    self.kind = kind
    self.isMailedApart = isMailedApart
    self.account = account
    var writer = JSONWriter()
    writer.object(fields)
    payload = writer.bytes
  }
}
