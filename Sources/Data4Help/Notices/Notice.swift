import Domain
import JSON
import Postgres

/// What a notice is about; the raw value is that of the column.
package enum NoticeKind: Int16, PostgresValue, CaseIterable {
  /// Somebody asks for data.
  case request = 1
  /// A request was answered, or expired.
  case answer = 2
  /// A subscription has ended, or will soon.
  case ended = 3
  /// The room for samples is used up, and the oldest made way.
  case room = 4
  /// Something about the account's safety.
  case security = 5
  /// An alarm of AutomatedSOS.
  case alarm = 6
  /// A run of Track4Run.
  case run = 7

  /// The word in the API, and the event's name in streams.
  package var word: String {
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

  /// The kind with this word of the API; nil for no such word.
  package init?(word: String) {
    guard let kind = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = kind
  }

  /// Its bit in a set of kinds.
  var bit: Int16 { 1 << (rawValue - 1) }

  /// The kinds of a set of bits.
  static func kinds(_ bits: Int16) -> [NoticeKind] { allCases.filter { bits & $0.bit != 0 } }
}

/// Something that an account is to be told (NTF-1).
package struct Notice: Sendable {
  /// Who is told.
  package let account: AccountID
  /// What it is about.
  package let kind: NoticeKind
  /// Whether a mail of its own tells the same, so that none is sent of the notice.
  let isMailedApart: Bool
  /// The JSON object that it says; sealed where it is stored.
  let payload: [UInt8]

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
