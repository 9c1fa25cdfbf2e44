import HTTP

/// The fields by which the gateway tells a service who calls, and what a service tells back;
/// services take them from the gateway alone, and the gateway removes them, in every spelling, from
/// what comes from outside and what goes out.
package enum InternalField {
  /// What the name of every internal field begins with.
  package static let prefix: StaticString = "x-trackme-"
  /// The secret that shows that the request comes from one of our own processes.
  package static let secret = FieldName.internalSecret.text
  /// The number of the account that calls; absent where nobody needs a token.
  package static let account = FieldName.internalAccount.text
  /// Its kind: `single` or `tp`.
  package static let kind = FieldName.internalKind.text
  /// The SHA-256 of the session's token in hexadecimal, so that logging out can end it.
  package static let session = FieldName.internalSession.text
  /// What shows the token, where it is no person who logged in: `program`, or a device's number.
  package static let bearer = FieldName.internalBearer.text
  /// The address of the client as the gateway saw it.
  package static let client = FieldName.internalClient.text
  /// In the answer to an upload and to switching AutomatedSOS on or off: `1` where it watches over
  /// the account, else `0`. In an upload: `1` where the gateway knows that it does.
  package static let watched = FieldName.internalWatched.text
}
