import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import Privacy
import PublicAPI
import Services

/// What a contact sends who answers: the token of the link, and whether they agree.
private struct ContactAnswerPayload: JSONReadable {
  let token: String
  let agrees: Bool

  init(from reader: inout JSONReader) throws(JSONError) {
    var token: String?
    var agrees: Bool?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "token": token = try reader.string()
      case "agree": agrees = try reader.boolean()
      default: break
      }
    }
    self.token = try reader.mandatory("token", token)
    self.agrees = try reader.mandatory("agree", agrees)
  }
}

/// Where the link of a mail to an emergency contact leads (SOS-6): opening it uses nothing up, a
/// contact may have no account, and the answer uses the link up.
struct ContactRoutes: Sendable {
  private let surroundings: Surroundings
  private let tokens: TokenAuthority

  init(_ surroundings: Surroundings) {
    self.surroundings = surroundings
    tokens = TokenAuthority(root: surroundings.root)
  }

  /// The rows of the route table.
  var all: [Route] {
    let routes = surroundings.routes
    return [routes.open(.openContactLink, open), routes.open(.answerAsContact, answer)]
  }

  private func token(_ text: String) throws(Problem) -> TokenHash {
    guard let token = try? tokens.verify(text.utf8.span), token.kind == .contact else {
      throw .wrongToken()
    }
    return token.hash
  }

  @Sendable private func open(_ request: Request) async throws(Problem) -> Response {
    let isPage = MediaPreference.prefersHTML(request)
    do throws(Problem) {
      let hash = try token(request.query["token"] ?? "")
      guard
        let link = try await surroundings.database.row(StandingContactLink(token: hash)),
        let name = try await name(of: link.account)
      else { throw .wrongToken() }
      if isPage { return ContactPage.response(from: name, link.state) }
      return .json { writer in
        writer.field("message", "Link valid")
        writer.field("full_name", name)
        writer.field("state", link.state.apiName)
      }.notStored()
    } catch {
      guard isPage, error.status == .unauthorized else { throw error }
      return ContactPage.deadLink
    }
  }

  /// The name of the person who named the contact; nil once the account is gone.
  private func name(of account: AccountID) async throws(Problem) -> String? {
    let profile = StoredProfile(account: account, kind: .singleUser)
    guard let row = try await surroundings.database.row(profile) else { return nil }
    let key = try await surroundings.accountKeys.key(of: account)
    return try row.sealed.open(SingleUserProfile.self, of: account, under: key).profile.fullName
  }

  @Sendable private func answer(_ request: Request) async throws(Problem) -> Response {
    let payload: ContactAnswerPayload = try request.payload()
    let use = UseContactLink(
      token: try token(payload.token), state: payload.agrees ? ContactState.agreed : .declined,
      now: surroundings.world.now())
    return try await surroundings.effects.run(request) { (transaction) throws(Problem) in
      guard try await transaction.runOne(use) != nil else { throw .wrongToken() }
      return .message("Action successful").notStored()
    }
  }
}
