import Bytes
import Cryptography
import Domain
import JSON
import Operations
import ServiceKit
import Webhooks

/// The sealed content of a subscription: the browser's address at its push service, and its keys.
struct StoredPushEndpoint: JSONReadable {
  let endpoint: String
  let publicKey: String
  let secret: String

  /// The texts of a browser.
  init(endpoint: String, publicKey: String, secret: String) {
    self.endpoint = endpoint
    self.publicKey = publicKey
    self.secret = secret
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var texts: [String: String] = [:]
    try reader.beginObject()
    while let key = try reader.nextField() { texts[key.text] = try reader.string() }
    guard let endpoint = texts["endpoint"], let publicKey = texts["p256dh"],
      let secret = texts["auth"]
    else { throw reader.refusal("A subscription has an address and two keys.") }
    self.init(endpoint: endpoint, publicKey: publicKey, secret: secret)
  }

  /// The same, sealed for its row.
  func sealed(under key: SealingKey, _ account: AccountID, _ subscription: UniversalID) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.field("endpoint", endpoint)
      writer.field("p256dh", publicKey)
      writer.field("auth", secret)
    }
    return key.seal(writer.bytes.span, for: Self.context(account, subscription))
  }

  /// Opens a stored one; nil if it was not sealed for this row or is malformed, which is logged.
  static func open(
    _ sealed: [UInt8], under key: SealingKey, _ account: AccountID, _ subscription: UniversalID,
    log: Log
  ) -> StoredPushEndpoint? {
    do throws(CryptographyError) {
      return try key.openJSON(
        StoredPushEndpoint.self, sealed.span, for: context(account, subscription))
    } catch {
      log.failure(
        "open push subscription failed", error, .number("account_id", account.rawValue))
      return nil
    }
  }

  private static func context(_ account: AccountID, _ subscription: UniversalID) -> SealContext {
    SealContext(
      table: "push_subscriptions", column: "sealed_endpoint",
      row: SealRow(
        account.rawValue, Int64(bitPattern: subscription.high),
        Int64(bitPattern: subscription.low)))
  }

  /// The address; nil for one that is never called.
  var url: CallbackURL? { CallbackURL(endpoint, lengthMax: PushEndpoint.lengthMax) }

  /// The keys; nil for those that no browser has.
  var recipient: PushRecipient? {
    guard let point = Base64.url.decode(publicKey.utf8.span),
      let secret = Base64.url.decode(secret.utf8.span)
    else { return nil }
    return PushRecipient(point: point, secret: secret)
  }

  /// Where messages are sent; nil for a damaged one.
  var parsed: PushEndpoint? {
    guard let url, let recipient else { return nil }
    return PushEndpoint(url: url, recipient: recipient)
  }
}
