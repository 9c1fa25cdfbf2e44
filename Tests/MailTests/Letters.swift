import EventLoop
import Mail
import Operations
import Testing

/// Mails for these tests.
enum Letters {
  static func letter(
    to address: String = "anna@example.org", subject: String = "A subject",
    text: String = "One line.\nAnother."
  ) throws -> MailMessage {
    MailMessage(
      from: try #require(MailAddress("trackme@example.org")),
      to: try #require(MailAddress(address)), subject: subject, text: text, environment: .system)
  }

  static func rendered(subject: String, text: String = "Text.") throws -> String {
    String(decoding: try letter(subject: subject, text: text).rendered, as: UTF8.self)
  }
}
