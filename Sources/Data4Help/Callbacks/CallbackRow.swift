import Delivery
import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import Privacy
import Services

/// Why a third party is not called any more.
enum CallbackOffReason: Int16, PostgresValue {
  /// Ten attempts were in vain.
  case exhausted = 1
  /// The endpoint answered 410.
  case gone = 2

  /// The words in the API.
  var words: String {
    switch self {
    case .exhausted: "ten attempts in vain"
    case .gone: "the endpoint answered 410"
    }
  }
}

extension CallbackFailure: PostgresValue {}

/// A third party's callback as it is stored.
struct CallbackRow: Sendable {
  let thirdParty: AccountID
  let lease: Int64
  let acknowledged: Int64
  let attempts: Int32
  let nextAttemptAt: WallTime
  let offReason: CallbackOffReason?
  let sealedURL: [UInt8]
  let sealedSecret: [UInt8]

  static let columns = Columns(CallbackRow.init)
  static let columnList: StaticString = """
    callback.third_party_id, callback.lease, callback.acknowledged, callback.attempts,
    callback.next_attempt_at, callback.off_reason, callback.sealed_url, callback.sealed_secret
    """

  /// Where it is called, with the secret that signs.
  ///
  /// - Throws: 500 if it was not sealed for this account.
  func endpoint(_ key: SealingKey) throws(Problem) -> CallbackEndpoint {
    try CallbackEndpoint(url: sealedURL, secret: sealedSecret, of: thirdParty, under: key)
  }
}

/// Where a third party is called and the secret that signs.
struct CallbackEndpoint: Sendable {
  let url: CallbackURL
  let secret: WebhookSecret

  /// Opens what is stored of an account's.
  ///
  /// - Throws: 500 if it was not sealed for this account.
  init(
    url sealedURL: [UInt8], secret sealedSecret: [UInt8], of account: AccountID,
    under key: SealingKey
  ) throws(Problem) {
    self = try intact { () throws(PrivacyError) in
      let url = try key.openText(sealedURL.span, for: Self.url(account))
      let secret = try key.openText(sealedSecret.span, for: Self.secret(account))
      guard let url = CallbackURL(url) else { throw PrivacyError.sealedValueRefused }
      return CallbackEndpoint(url: url, secret: try WebhookSecret(secret.utf8.span))
    }
  }

  init(url: CallbackURL, secret: WebhookSecret) {
    (self.url, self.secret) = (url, secret)
  }

  static func url(_ account: AccountID) -> SealContext {
    SealContext(table: "callbacks", column: "sealed_url", row: SealRow(account.rawValue))
  }

  static func secret(_ account: AccountID) -> SealContext {
    SealContext(table: "callbacks", column: "sealed_secret", row: SealRow(account.rawValue))
  }
}

extension CallbackMessage {
  /// An event of the sequence; its number is what makes it the same message at each attempt, where
  /// it has no other name.
  init(_ item: EventItem) {
    self.init(id: item.messageID ?? Self.id(item.number), body: item.document)
  }

  static func id(_ number: Int64) -> String { "msg_\(number)" }

  /// A message that stands outside the sequence.
  init(_ type: String, id: UniversalID, at now: WallTime, _ data: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    writer.object { writer in
      writer.field("type", type)
      writer.field("timestamp", now.timestamp.description)
      writer.object("data", data)
    }
    self.init(id: "test_\(id)", body: writer.bytes)
  }
}
