import Cryptography
import Domain
import JSON
import Postgres
import ServiceKit

/// The seal contexts of an account's values.
enum AccountSeal {
  static func email(_ account: AccountID) -> SealContext { column("sealed_email", account) }

  /// The fiscal code or the P.IVA.
  static func identity(_ account: AccountID) -> SealContext { column("sealed_identity", account) }

  static func profile(_ account: AccountID) -> SealContext { column("sealed_profile", account) }

  private static func column(_ name: StaticString, _ account: AccountID) -> SealContext {
    SealContext(table: "accounts", column: name, row: SealRow(account.rawValue))
  }
}

/// The values of an account that are sealed with its own key, as stored in a row.
package struct SealedAccount: Sendable {
  /// The email, and the fiscal code or P.IVA.
  package let email: [UInt8]
  package let identity: [UInt8]
  /// The profile, as JSON.
  package let profile: [UInt8]

  /// Seals the identity of an account.
  package init(
    email: EmailAddress, identity: String, profile: some JSONWritable, of account: AccountID,
    under key: SealingKey
  ) {
    self.email = key.seal(email.text, for: AccountSeal.email(account))
    self.identity = key.seal(identity, for: AccountSeal.identity(account))
    self.profile = Self.seal(profile, of: account, under: key)
  }

  /// Seals only a profile.
  static func seal(
    _ profile: some JSONWritable, of account: AccountID, under key: SealingKey
  ) -> [UInt8] {
    key.sealJSON(of: profile, for: AccountSeal.profile(account))
  }

  /// The sealed values of a row.
  package init(email: [UInt8], identity: [UInt8], profile: [UInt8]) {
    self.email = email
    self.identity = identity
    self.profile = profile
  }

  /// Opens the values of an account with this kind of profile.
  ///
  /// - Throws: `internalError` if they were not sealed for this account.
  package func open<Profile: JSONReadable>(
    _ type: Profile.Type, of account: AccountID, under key: SealingKey
  ) throws(ApplicationError) -> OpenedAccount<Profile> {
    try mapStorageError { () throws(CryptographyError) in
      OpenedAccount(
        email: try key.openText(email.span, for: AccountSeal.email(account)),
        identity: try key.openText(identity.span, for: AccountSeal.identity(account)),
        profile: try key.openJSON(type, profile.span, for: AccountSeal.profile(account)))
    }
  }
}

/// The identity of an account in clear text.
package struct OpenedAccount<Profile: Sendable>: Sendable {
  /// The email.
  package let email: String
  /// The fiscal code or the P.IVA.
  package let identity: String
  package let profile: Profile
}

extension SealingKey {
  /// The email of the account that owns this key.
  ///
  /// - Throws: `internalError` if it was not sealed for this account.
  package func email(_ sealed: [UInt8], of account: AccountID) throws(ApplicationError) -> String {
    try mapStorageError { () throws(CryptographyError) in
      try openText(sealed.span, for: AccountSeal.email(account))
    }
  }
}
