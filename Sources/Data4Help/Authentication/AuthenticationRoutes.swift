import Domain
import EventLoop
import HTTP
import Privacy
import PublicAPI
import Services

/// The design document's Authentication Manager: registration, activation, login, logout and
/// password recovery.
package struct AuthenticationRoutes: Sendable {
  let surroundings: Surroundings
  let settings: AuthenticationSettings
  let passwords: PasswordPool
  let indexes: AccountIndexes
  let tokens: TokenAuthority
  let consents: ConsentLedger

  /// Routes of one loop; all loops share the pool.
  package init(
    surroundings: Surroundings, settings: AuthenticationSettings, passwords: PasswordPool
  ) {
    self.surroundings = surroundings
    self.settings = settings
    self.passwords = passwords
    indexes = AccountIndexes(root: surroundings.root)
    tokens = TokenAuthority(root: surroundings.root)
    consents = ConsentLedger(world: surroundings.world)
  }

  /// A row for each endpoint of the table in PublicAPI.
  package var routes: [Route] {
    let routes = surroundings.routes
    let logins = LoginMetrics(surroundings.metrics)
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
