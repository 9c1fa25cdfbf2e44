import Bytes
import Cryptography
import Domain
import JSON
import Postgres
import ServiceKit
import Time
import Webhooks

/// Why a callback was switched off.
enum CallbackOffReason: Int16, PostgresValue {
  /// Ten attempts failed.
  case exhausted = 1
  /// The endpoint answered 410.
  case gone = 2

  /// The name in the API.
  var apiName: String { text(in: .english) }

  /// The text for a reader.
  func text(in language: Language) -> String {
    switch (self, language) {
    case (.exhausted, .italian): "dieci tentativi sono falliti"
    case (.exhausted, .english): "ten attempts in vain"
    case (.gone, .italian): "l'indirizzo ha risposto 410"
    case (.gone, .english): "the endpoint answered 410"
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
  let nextAttemptAt: Instant
  let offReason: CallbackOffReason?
  let sealedURL: [UInt8]
  let sealedSecret: [UInt8]
  let sealedPreviousSecret: [UInt8]?
  let previousUntil: Instant?

  static let columns = Columns(CallbackRow.init)
  static let columnList: StaticString = """
    callback.third_party_id, callback.lease, callback.acknowledged, callback.attempts,
    callback.next_attempt_at, callback.off_reason, callback.sealed_url, callback.sealed_secret,
    callback.sealed_previous_secret, callback.previous_until
    """

  /// The callback's URL, with the secrets that sign.
  ///
  /// - Throws: `internalError` if it was not sealed for this account.
  func endpoint(_ key: SealingKey) throws(ApplicationError) -> CallbackEndpoint {
    try CallbackEndpoint(
      url: sealedURL, secret: sealedSecret, previous: sealedPreviousSecret, until: previousUntil,
      of: thirdParty, under: key)
  }
}

/// The URL of a callback and the secrets that sign.
package struct CallbackEndpoint: Sendable {
  /// The address that is called.
  package let url: CallbackURL
  let secret: WebhookSecret
  /// The previous secret, which also signs until its end.
  private var previous: (secret: WebhookSecret, until: Instant)?

  /// Opens the stored values of an account.
  ///
  /// - Throws: `internalError` if they were not sealed for this account.
  package init(
    url sealedURL: [UInt8], secret sealedSecret: [UInt8], previous sealedPrevious: [UInt8]?,
    until: Instant?, of account: AccountID, under key: SealingKey
  ) throws(ApplicationError) {
    self = try mapStorageError { () throws(CryptographyError) in
      let url = try key.openText(sealedURL.span, for: Self.url(account))
      guard let url = CallbackURL(url) else { throw CryptographyError.sealedValueRefused }
      var endpoint = CallbackEndpoint(
        url: url, secret: try Self.secret(sealedSecret, of: account, under: key))
      if let sealedPrevious, let until {
        endpoint.previous = (try Self.secret(sealedPrevious, of: account, under: key), until)
      }
      return endpoint
    }
  }

  private static func secret(
    _ sealed: [UInt8], of account: AccountID, under key: SealingKey
  ) throws(CryptographyError) -> WebhookSecret {
    let text = try key.openText(sealed.span, for: secret(account))
    return try WebhookSecret(text.utf8.span)
  }

  init(url: CallbackURL, secret: WebhookSecret) {
    (self.url, self.secret) = (url, secret)
  }

  /// The secrets that sign a call at this time, the newest first.
  package func secrets(at now: Instant) -> [WebhookSecret] {
    guard let previous, now < previous.until else { return [secret] }
    return [secret, previous.secret]
  }

  /// The context of the sealed address of an account.
  package static func url(_ account: AccountID) -> SealContext {
    SealContext(table: "callbacks", column: "sealed_url", row: SealRow(account.rawValue))
  }

  static func secret(_ account: AccountID) -> SealContext {
    SealContext(table: "callbacks", column: "sealed_secret", row: SealRow(account.rawValue))
  }
}

extension CallbackMessage {
  /// An event of the sequence. Its number identifies the message over all attempts, unless it has a
  /// separate name.
  init(_ item: EventItem) {
    self.init(id: item.messageID ?? Self.id(item.number), body: item.document)
  }

  static func id(_ number: Int64) -> String { "msg_\(number)" }

  /// A message outside the sequence.
  init(_ type: String, id: UniversalID, at now: Instant, _ data: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    writer.object { writer in
      writer.field("type", type)
      writer.field("timestamp", now.description)
      writer.object("data", data)
    }
    self.init(id: "test_\(id)", body: writer.bytes)
  }
}
