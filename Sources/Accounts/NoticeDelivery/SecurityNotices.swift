import Cryptography
import Domain
import EventLoop
import JSON
import Mail
import Operations
import Postgres
import ServiceKit
import Time
import Webhooks

/// A change that the thief of a token might also make.
package enum SecurityEvent {
  /// Callbacks are sent to a new address, with a new secret.
  case callbackChanged(CallbackURL)
  case callbackRemoved
  /// The previous secret stays valid until this time; nil if it ended at once.
  case callbackSecretRotated(previousUntil: Instant?)
  case keyCreated(name: String)
  case devicePaired(name: String, model: String)

  /// The API's name of the event.
  var apiName: String {
    switch self {
    case .callbackChanged: "callbackChanged"
    case .callbackRemoved: "callbackRemoved"
    case .callbackSecretRotated: "callbackSecretRotated"
    case .keyCreated: "keyCreated"
    case .devicePaired: "devicePaired"
    }
  }

  /// The event in a notice; nil for one that can't be read.
  init?(_ facts: NoticeFacts) {
    let texts = facts.texts
    switch (texts["event"], texts["name"]) {
    case ("callbackChanged", _):
      guard let url = texts["url"].flatMap({ CallbackURL($0) }) else { return nil }
      self = .callbackChanged(url)
    case ("callbackRemoved", _): self = .callbackRemoved
    case ("callbackSecretRotated", _):
      self = .callbackSecretRotated(
        previousUntil: facts.times["previousUntil"])
    case ("keyCreated", let name?): self = .keyCreated(name: name)
    case ("devicePaired", let name?):
      self = .devicePaired(name: name, model: texts["model"] ?? "")
    default: return nil
    }
  }

  /// The fields of the notice.
  func write(to writer: inout JSONWriter) {
    writer.field("event", apiName)
    switch self {
    case .callbackChanged(let url): writer.field("url", url.text)
    case .callbackRemoved: break
    case .callbackSecretRotated(let end):
      writer.fieldIfPresent("previousUntil", end?.description)
    case .keyCreated(let name): writer.field("name", name)
    case .devicePaired(let name, let model):
      writer.field("name", name)
      writer.field("model", model)
    }
  }

  /// The event as a sentence in the reader's language. Text that a client entered is written so
  /// that no mail program makes a link of it.
  func sentence(for reader: ReaderLocale) -> String {
    switch (self, reader.language) {
    case (.callbackChanged(let url), .italian):
      "Il callback del tuo account è stato impostato su \(url.host.unlinked)."
    case (.callbackChanged(let url), .english):
      "The callback of your account was set to \(url.host.unlinked)."
    case (.callbackRemoved, .italian): "Il callback del tuo account è stato tolto."
    case (.callbackRemoved, .english): "The callback of your account was removed."
    case (.callbackSecretRotated(let end), .italian):
      "Il segreto del tuo callback è stato sostituito. "
        + (end.map { "Il precedente resta valido fino al \(reader.text($0))." }
          ?? "Il precedente non è più valido.")
    case (.callbackSecretRotated(let end), .english):
      "The secret of your callback was replaced. "
        + (end.map { "The previous one stays valid until \(reader.text($0))." }
          ?? "The previous one is no longer valid.")
    case (.keyCreated(let name), .italian):
      "È stata creata la chiave API «\(name.unlinked.quotable)»."
    case (.keyCreated(let name), .english): "The API key “\(name.unlinked.quotable)” was created."
    case (.devicePaired(let name, let model), .italian):
      "È stato abbinato il dispositivo «\(name.unlinked.quotable)» (\(model.unlinked))."
    case (.devicePaired(let name, let model), .english):
      "The device “\(name.unlinked.quotable)” (\(model.unlinked)) was paired."
    }
  }
}

/// Notifies an account of changes that the thief of a token might also make: by a notice, and by a
/// mail that no choice of the account turns off.
package struct SecurityNotices: Sendable {
  private let dependencies: AccountsDependencies
  private let settings: AuthenticationSettings

  /// Notices whose mails have the sender and the links of these settings.
  package init(_ dependencies: AccountsDependencies, _ settings: AuthenticationSettings) {
    self.dependencies = dependencies
    self.settings = settings
  }

  /// Writes the notice and queues the mail in this transaction, before it changes sessions, whose
  /// clock all accounts share; call `announce` after its commit.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func add(
    _ event: SecurityEvent, to account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard let row = try await transaction.runOne(MailRecipient(account: account)) else {
      return
    }
    let key = try await dependencies.accountKeys.key(of: account)
    if let mail = mail(event, to: account, row, under: key) {
      try await dependencies.mailQueue.enqueue(mail, of: MailOwner(account), in: transaction)
    }
    let notice = Notice(.security, to: account, isMailedApart: true) { event.write(to: &$0) }
    try await dependencies.notices.add(notice, in: transaction)
  }

  /// Wakes the streams and the mail worker.
  package func announce() {
    dependencies.notices.announce()
    dependencies.mailQueue.announce()
  }

  /// Nil if the account's stored address can't be opened: this must not fail the change itself.
  private func mail(
    _ event: SecurityEvent, to account: AccountID, _ row: MailRecipient.Row,
    under key: SealingKey
  ) -> MailMessage? {
    do throws(ApplicationError) {
      return try MailAddress(key.email(row.sealedEmail, of: account)).map {
        mail(event, to: $0, dependencies.locales.locale(row.locale))
      }
    } catch {
      dependencies.log.failure(
        "open email for security mail failed", error, .number("account_id", account.rawValue))
      return nil
    }
  }

  private func mail(
    _ event: SecurityEvent, to address: MailAddress, _ reader: ReaderLocale
  ) -> MailMessage {
    let now = reader.text(dependencies.environment.now())
    let (subject, text) =
      switch reader.language {
      case .italian:
        (
          "TrackMe: sicurezza del tuo account",
          """
          \(event.sentence(for: reader))
          Quando: \(now)

          Se non sei stato tu, chiedi subito una nuova password: chiavi API e dispositivi
          smettono così di funzionare. Poi controlla il callback del tuo account.
          \(settings.publicURL)
          """
        )
      case .english:
        (
          "TrackMe: security of your account",
          """
          \(event.sentence(for: reader))
          When: \(now)

          If it was not you, ask for a new password at once: API keys and devices then stop
          working. Check the callback of your account afterwards.
          \(settings.publicURL)
          """
        )
      }
    return MailMessage(
      from: settings.sender, to: address, subject: subject, text: text,
      environment: dependencies.environment)
  }
}
