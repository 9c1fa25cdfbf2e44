import Domain
import HTTP
import JSON
import Postgres
import Privacy

/// Where the sealed values of an account belong.
enum AccountSeal {
  static func email(_ account: AccountID) -> SealContext { column("sealed_email", account) }

  /// The fiscal code or the P.IVA.
  static func identity(_ account: AccountID) -> SealContext { column("sealed_identity", account) }

  static func profile(_ account: AccountID) -> SealContext { column("sealed_profile", account) }

  private static func column(_ name: StaticString, _ account: AccountID) -> SealContext {
    SealContext(table: "accounts", column: name, row: SealRow(account.rawValue))
  }
}

/// What of an account is sealed with its own key, as it stands in a row.
struct SealedAccount: Sendable {
  let email: [UInt8]
  let identity: [UInt8]
  let profile: [UInt8]

  /// Seals what an account is known by.
  init(
    email: EmailAddress, identity: String, profile: some JSONWritable, of account: AccountID,
    under key: SealingKey
  ) {
    self.email = key.seal(email.text, for: AccountSeal.email(account))
    self.identity = key.seal(identity, for: AccountSeal.identity(account))
    self.profile = Self.seal(profile, of: account, under: key)
  }

  /// Seals a profile alone.
  static func seal(
    _ profile: some JSONWritable, of account: AccountID, under key: SealingKey
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.value(profile)
    return key.seal(writer.bytes.span, for: AccountSeal.profile(account))
  }

  init(email: [UInt8], identity: [UInt8], profile: [UInt8]) {
    self.email = email
    self.identity = identity
    self.profile = profile
  }

  /// Opens the values of an account of this kind of profile.
  ///
  /// - Throws: 500 if they are not what was sealed for this account.
  func open<Profile: JSONReadable>(
    _ type: Profile.Type, of account: AccountID, under key: SealingKey
  ) throws(Problem) -> OpenedAccount<Profile> {
    do throws(PrivacyError) {
      let email = try key.openText(email.span, for: AccountSeal.email(account))
      let identity = try key.openText(identity.span, for: AccountSeal.identity(account))
      let bytes = try key.open(profile.span, for: AccountSeal.profile(account))
      let profile = try JSONReader.readStored(Profile.self, from: bytes)
      return OpenedAccount(email: email, identity: identity, profile: profile)
    } catch {
      var problem = Problem.internalError
      problem.cause = error.description
      throw problem
    }
  }
}

/// What an account is known by, in clear.
struct OpenedAccount<Profile: Sendable>: Sendable {
  let email: String
  /// The fiscal code or the P.IVA.
  let identity: String
  let profile: Profile
}

extension JSONReader {
  /// Reads what we wrote ourselves; what is not that counts as changed.
  fileprivate static func readStored<Value: JSONReadable>(
    _ type: Value.Type, from bytes: [UInt8]
  ) throws(PrivacyError) -> Value {
    do throws(JSONError) { return try read(type, from: bytes) } catch {
      throw .sealedValueRefused
    }
  }
}
