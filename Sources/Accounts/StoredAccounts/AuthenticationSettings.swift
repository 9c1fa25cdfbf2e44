import Domain
import Mail

/// The operator's settings for accounts.
package struct AuthenticationSettings: Sendable {
  /// The prefix of links in mails, without a slash at the end.
  package let publicURL: String
  /// How long a session may be idle (ACC-7).
  package let sessionIdle: Duration
  /// How long a session may last (ACC-7).
  package let sessionMax: Duration
  /// How long an ended session is kept (NFR-6).
  package let keepSessions: Duration
  /// The sender of mails: `trackme@` and the host of the public URL.
  package let sender: MailAddress

  /// How long the link of a registration is valid (ACC-1).
  package static let activationMax = Duration.seconds(24 * 3600)

  /// The settings with these values; nil for a public URL without a host.
  package init?(
    publicURL: String, sessionIdle: Duration, sessionMax: Duration,
    keepSessions: Duration = .seconds(7 * 86_400)
  ) {
    let parts = publicURL.split(separator: "/", maxSplits: 2)
    guard parts.count >= 2, parts[0].hasSuffix(":"),
      let host = parts[1].split(separator: ":").first,
      let sender = MailAddress("trackme@\(host)")
    else { return nil }
    self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
    self.sessionIdle = sessionIdle
    self.sessionMax = sessionMax
    self.keepSessions = keepSessions
    self.sender = sender
  }
}
