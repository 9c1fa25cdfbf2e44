import Domain
import EventLoop
import HTTP
import Postgres
import Privacy
import Services

/// Inviting people to a run by mail, inside a transaction (RUN-10).
///
/// No account is looked for, so that no answer tells whether an address has one. Nobody is invited
/// twice to a run, whoever invites, nor to many runs in a day; who invites is not told whether a
/// mail leaves.
struct Inviting: Sendable {
  /// Who invites, and how much of that there may be.
  struct Sender: Sendable {
    let account: AccountID
    /// How the sender is called.
    let name: String
    /// Addresses that the sender may invite on a day.
    let addressesADayMax: Int32
  }

  /// Addresses that a company may invite on a day.
  static let byOrganiserMax: Int32 = 500
  /// Addresses that a runner may invite on a day.
  static let byRunnerMax: Int32 = 20
  /// Invitations that an address gets in 24 hours at most, whoever invites.
  static let toAddressMax: Int64 = 3
  /// How long is remembered who was invited to what.
  static let rememberedFor = Duration.seconds(400 * 86_400)

  private let world: World
  private let zone: TimeZoneRules
  private let outbox: Outbox
  private let index: BlindIndex
  private let links: PublicLinks

  /// Invitations from these surroundings.
  init(_ surroundings: RunSurroundings) {
    world = surroundings.world
    zone = surroundings.zone
    outbox = surroundings.outbox
    index = surroundings.invitedAddresses
    links = surroundings.links
  }

  /// Invites these addresses to a run.
  ///
  /// - Throws: 409 for a run that is not in the list or over, 429 for too many on a day, 503.
  func invite(
    _ addresses: Set<EmailAddress>, to run: RunRow, by sender: Sender,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let now = world.now()
    if let refusal = try run.run().refusalOfInviting(now: now.timestamp) {
      throw .conflict(refusal.description)
    }
    guard let code = run.code else { throw .internalError(because: "A listed run has no code.") }
    try await count(addresses.count, of: sender, at: now.timestamp, in: transaction)
    // In one order everywhere, so that two who invite the same people do not wait in a circle.
    let sorted = addresses.sorted { $0.text < $1.text }
    let blinds = sorted.map { index.value(of: $0.text) }
    let known = Dictionary(zip(blinds, sorted)) { first, _ in first }
    let new = try await transaction.run(
      NoteInvitations(
        runID: run.runID, addresses: blinds, now: now, since: now - .seconds(86_400),
        countMax: Self.toAddressMax))
    let text = InvitationText(
      runName: run.name, startsAt: run.startsAt.timestamp, inviter: sender.name,
      link: links.run(code))
    let invited = new.compactMap { known[$0] }
    guard !invited.isEmpty else { return }
    try await outbox.add([.mail(MailOrder(to: invited, text.mail))], in: transaction)
  }

  /// Forgets, now and then, what is not needed any more.
  ///
  /// - Throws: 503 if the database is away.
  static func forget(in surroundings: RunSurroundings) async throws(ApplicationError) {
    let now = surroundings.world.now()
    _ = try await surroundings.database.effect(ForgetInvitations(before: now - rememberedFor))
    let today = surroundings.zone.day(of: now.timestamp)
    _ = try await surroundings.database.effect(
      ForgetInvitationCounts(day: Int32(today.daysSince1970)))
  }

  private func count(
    _ added: Int, of sender: Sender, at now: Timestamp,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let today = zone.day(of: now)
    let counted = try await transaction.runOne(
      CountInvitations(
        sender: sender.account, day: Int32(today.daysSince1970), added: Int32(added),
        countMax: sender.addressesADayMax))
    guard counted == nil else { return }
    let wait = zone.start(of: today.adding(days: 1)).seconds(since: now)
    throw .rateLimited(retryAfter: max(1, Int(wait.rounded(.up))))
  }
}
