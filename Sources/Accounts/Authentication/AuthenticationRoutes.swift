import Cryptography
import Domain
import PublicAPI
import ServiceKit
import Web

/// The design document's Authentication Manager: registration, activation, login, logout and
/// password recovery.
package struct AuthenticationRoutes: Sendable {
  /// The dependencies of accounts on this loop.
  package let dependencies: AccountsDependencies
  let settings: AuthenticationSettings
  let passwords: PasswordPool
  let indexes: AccountIndexes
  let tokens: TokenAuthority
  let consents: ConsentLedger
  let mayAnswerEmergencies: EmergencyAnswerCheck

  /// Returns whether a third party may answer emergencies.
  package typealias EmergencyAnswerCheck =
    @Sendable (AccountID) async throws(ApplicationError) -> Bool

  /// Routes of one loop; all loops share the pool.
  package init(
    dependencies: AccountsDependencies, settings: AuthenticationSettings, passwords: PasswordPool,
    mayAnswerEmergencies: @escaping EmergencyAnswerCheck
  ) {
    self.dependencies = dependencies
    self.settings = settings
    self.passwords = passwords
    self.mayAnswerEmergencies = mayAnswerEmergencies
    indexes = AccountIndexes(root: dependencies.root)
    tokens = TokenAuthority(root: dependencies.root)
    consents = ConsentLedger(environment: dependencies.environment)
  }

  /// A row for each endpoint of the table in PublicAPI.
  package var routes: [Route] {
    let routes = EndpointRoutes()
    let logins = LoginMetrics(dependencies.metrics)
    return [
      routes.open(.registerSingleUser, registerSingleUser),
      routes.open(.registerThirdParty, registerThirdParty),
      routes.open(.activate, activate),
      routes.open(.resendActivation, resendActivation),
      routes.open(.forgotPassword, forgotPassword),
      routes.open(.openPasswordReset, openPasswordReset),
      routes.open(.resetPassword, resetPassword),
      routes.open(.login) { (request) throws(ApplicationError) in
        try await logins.counting { () throws(ApplicationError) in try await login(request) }
      },
      routes.identified(.logout, logout),
      routes.identified(.me, me),
    ]
  }
}
