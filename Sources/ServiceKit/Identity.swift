import Cryptography
import Domain
import HTTP
import PublicAPI

/// The caller, as the gateway determined it from the token.
package struct Identity: Sendable, Equatable {
  /// The account.
  package let account: AccountID
  /// Its kind.
  package let kind: AccountKind
  /// The hash that identifies the session's token.
  package let session: TokenHash
  /// The carrier of that token.
  package let bearer: Bearer

  /// An identity of the given parts.
  package init(
    account: AccountID, kind: AccountKind, session: TokenHash, bearer: Bearer = .login
  ) {
    self.account = account
    self.kind = kind
    self.session = session
    self.bearer = bearer
  }

  /// The account's number of the calling device; 0 for other callers, as for a manual entry by the
  /// user.
  package var device: Int32 {
    if case .device(let number) = bearer { number } else { 0 }
  }

  /// Reads the gateway's fields; nil if one is missing or malformed.
  package init?(_ fields: HTTPFields) {
    guard let account = fields[InternalField.account].flatMap({ Int64($0) }),
      let kind = fields[InternalField.kind].flatMap({ AccountKind(rawValue: $0) }),
      let session = fields[InternalField.session].flatMap({ TokenHash(hexadecimal: $0) }),
      let bearer = Bearer(fieldValue: fields[InternalField.bearer])
    else { return nil }
    self.init(
      account: AccountID(rawValue: account), kind: kind, session: session, bearer: bearer)
  }
}
