import Cryptography
import Data4HelpSync
import Domain
import EventLoop
import InternalAPI
import Postgres
import ServiceKit
import Time

/// Invites people to a run by mail, inside a transaction (RUN-10).
///
/// Accounts are not looked up, so that no answer discloses whether an address has one. All senders
/// together can invite an address once to a run, and to few runs a day; the sender does not learn
/// whether a mail was sent.
struct Inviting: Sendable {
  /// A sender of invitations and the sender's limit.
  struct Sender: Sendable {
    let account: AccountID
    /// The sender's name.
    let name: String
    /// The largest number of addresses that the sender may invite in a day.
    let addressesADayMax: Int32
  }

  /// The largest number of addresses that a company may invite in a day.
  static let byOrganiserMax: Int32 = 500
  /// The largest number of addresses that a runner may invite in a day.
  static let byRunnerMax: Int32 = 20
  /// The largest number of invitations to an address within 24 hours, from all senders.
  static let toAddressMax: Int64 = 3

  private let environment: Environment
  private let zone: TimeZoneRules
  let outbox: Outbox
  private let index: BlindIndex
  private let links: PublicLinks
  private let keptFor: Duration

  /// Creates invitations by mails of this outbox; invited addresses are stored by their index for
  /// `keptFor`, so that none is invited to a run again.
  init(
    environment: Environment, zone: TimeZoneRules, outbox: Outbox, index: BlindIndex,
    links: PublicLinks, keptFor: Duration
  ) {
    self.environment = environment
    self.zone = zone
    self.outbox = outbox
    self.index = index
    self.links = links
    self.keptFor = keptFor
  }

  /// Invites these addresses to a run.
  ///
  /// - Throws: `conflict` for a run that is over or not listed, `rateLimited` above the daily
  ///   limit, `unavailable`.
  func invite(
    _ addresses: Set<EmailAddress>, to run: RunRow, by sender: Sender,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let now = environment.now()
    if let refusal = try run.run().refusalOfInviting(now: now.flooredToMilliseconds) {
      throw .conflict(refusal.description)
    }
    guard let code = run.code else { throw .internalError(because: "A listed run has no code.") }
    try await count(addresses.count, of: sender, at: now.flooredToMilliseconds, in: transaction)
    // A fixed order, so that two senders who invite the same people cause no deadlock.
    let sorted = addresses.sorted { $0.text < $1.text }
    let blinds = sorted.map { index.value(of: $0.text) }
    let known = Dictionary(zip(blinds, sorted)) { first, _ in first }
    let new = try await transaction.run(
      NoteInvitations(
        runID: run.runID, addresses: blinds, now: now, since: now - .seconds(86_400),
        countMax: Self.toAddressMax))
    let text = InvitationText(
      runName: run.name, startsAt: run.startsAt, inviter: sender.name,
      link: links.run(code))
    let invited = new.compactMap { known[$0] }
    guard !invited.isEmpty else { return }
    try await outbox.add([.mail(MailOrder(to: invited, text.mail))], in: transaction)
  }

  /// Deletes old invitations and counts.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  func forget(in database: Database) async throws(ApplicationError) {
    let now = environment.now()
    _ = try await database.effect(ForgetInvitations(before: now - keptFor))
    let today = zone.day(of: now)
    _ = try await database.effect(ForgetInvitationCounts(day: Int32(today.daysSince1970)))
  }

  private func count(
    _ added: Int, of sender: Sender, at now: Instant,
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
