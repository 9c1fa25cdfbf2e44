import HTTP
import Web

/// The internal header fields between gateway and services: the caller's identity, and information
/// from the service. Services accept them from the gateway only. The gateway removes them, in every
/// spelling, from external requests and from responses.
package enum InternalField {
  /// The name prefix of every internal field.
  package static let prefix: StaticString = "x-trackme-"
  /// The secret that proves that the request comes from a process of this installation.
  package static let secret = FieldName.internalSecret.text
  /// The caller's account number; absent if the endpoint needs no token.
  package static let account = FieldName.internalAccount.text
  /// The kind of account: `single` or `tp`.
  package static let kind = FieldName.internalKind.text
  /// The SHA-256 of the session's token in hexadecimal, with which logging out ends the session.
  package static let session = FieldName.internalSession.text
  /// The token's holder if it is not a logged-in user: `program`, or a device's number.
  package static let bearer = FieldName.internalBearer.text
  /// `1` if the token came in the session's cookie, in a request whose answer may renew it.
  package static let cookie = FieldName.internalCookie.text
  /// The client's address as seen by the gateway.
  package static let client = FieldName.internalClient.text
  /// In the response to an upload and to enabling or disabling AutomatedSOS: `1` if it monitors the
  /// account, otherwise `0`. In an upload request: `1` if the gateway knows that the account is
  /// monitored.
  package static let watched = FieldName.internalWatched.text
}
