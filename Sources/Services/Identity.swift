import Domain
import HTTP
import Privacy
import PublicAPI

/// Who calls, as the gateway found out from the token.
package struct Identity: Sendable, Equatable {
  /// The account.
  package let account: AccountID
  /// Its kind.
  package let kind: AccountKind
  /// What the session's token is known by.
  package let session: TokenHash

  /// An identity of the given parts.
  package init(account: AccountID, kind: AccountKind, session: TokenHash) {
    self.account = account
    self.kind = kind
    self.session = session
  }

  /// Reads the gateway's fields; nil where one is missing or not of the gateway's form.
  package init?(_ fields: HTTPFields) {
    guard let account = fields[InternalField.account].flatMap({ Int64($0) }),
      let kind = fields[InternalField.kind].flatMap({ AccountKind(rawValue: $0) }),
      let session = fields[InternalField.session].flatMap({ TokenHash(hexadecimal: $0) })
    else { return nil }
    self.init(account: AccountID(rawValue: account), kind: kind, session: session)
  }
}

extension Caller {
  /// Whether an account of this kind may call.
  package func admits(_ kind: AccountKind) -> Bool {
    switch self {
    case .anyone, .account: true
    case .singleUser: kind == .singleUser
    case .thirdParty: kind == .thirdParty
    }
  }
}
