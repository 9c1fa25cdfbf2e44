import Delivery
import Domain
import EventLoop

/// What an operator chooses about accounts.
package struct AuthenticationSettings: Sendable {
  /// What links in mail begin with, without a slash at the end.
  package let publicURL: String
  /// How long a session may be idle (ACC-7).
  package let sessionIdle: Duration
  /// How long a session may last (ACC-7).
  package let sessionMax: Duration
  /// Who mails come from: `trackme@` and the host of the public URL.
  package let sender: MailAddress

  /// How long a registration waits for its link to be followed (ACC-1).
  package static let activationMax = Duration.seconds(24 * 3600)

  /// The settings of these values; nil for a public URL without a host.
  package init?(publicURL: String, sessionIdle: Duration, sessionMax: Duration) {
    let parts = publicURL.split(separator: "/", maxSplits: 2)
    guard parts.count >= 2, parts[0].hasSuffix(":"),
      let host = parts[1].split(separator: ":").first,
      let sender = MailAddress("trackme@\(host)")
    else { return nil }
    self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
    self.sessionIdle = sessionIdle
    self.sessionMax = sessionMax
    self.sender = sender
  }
}
