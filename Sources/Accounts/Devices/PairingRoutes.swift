import Bytes
import Cryptography
import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// Pairs a device, or any other source of data, with a person's account (DAT-3).
///
/// The device shows six digits; its user enters them, sees the device and accepts; the device then
/// receives its token. An attacker could guess the code. Therefore at most a thousand devices are
/// pending at a time, ten minutes each, and an account has five wrong codes an hour: even with a
/// thousand pending devices the chance of hitting one is one in two hundred. Starting a pairing
/// needs no account. Therefore each network has a small limit of pending devices, and while a
/// thousand are pending, a new one replaces one of the network with the most.
package struct PairingRoutes: Sendable {
  /// How long a code is valid.
  package static let codeMax = Duration.seconds(600)
  /// The most pending devices.
  package static let waitingMax: Int64 = 1000
  /// The most pending devices of one network.
  package static let waitingOfNetworkMax: Int64 = 100
  /// The wrong codes allowed to an account in `triesWindow`.
  package static let wrongCodesMax: Int32 = 5
  /// How long wrong codes count against an account, from the first one on.
  package static let triesWindow = Duration.seconds(3600)
  /// The most devices of an account.
  package static let devicesMax: Int64 = 20
  /// The codes drawn for one device before it must try again later.
  private static let drawsMax = 8

  private let environment: Environment
  private let database: Database
  private let accountKeys: AccountKeys
  private let tokens: TokenAuthority
  private let codes: BlindIndex
  private let waitingKey: LoopBound<SealingKey>
  private let security: SecurityNotices

  /// Routes over the accounts of this database; `security` notifies the account of a new device.
  package init(
    loop: EventLoop, environment: Environment, database: Database, accountKeys: AccountKeys,
    root: RootSecret,
    security: SecurityNotices
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.security = security
    tokens = TokenAuthority(root: root)
    codes = BlindIndex(.pairingCode, root: root)
    waitingKey = LoopBound(SealingKey(pairingOf: root), on: loop)
  }

  /// The rows of the route table.
  package var routes: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.open(.startPairing, start),
      routes.identified(.confirmPairing, confirm),
      routes.open(.finishPairing, finish),
    ]
  }

  // MARK: Starting

  /// - Throws: `invalid`; `rateLimited` while too many devices of the network are pending;
  ///   `unavailable`.
  @Sendable private func start(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: StartPairingBody = try request.payload()
    let (secret, id) = (tokens.issue(.pairing), UniversalID.random())
    let now = environment.now()
    let description = DeviceDescription(name: payload.name, model: payload.model)
    let sealed = description.sealed(under: waitingKey.value, for: .pairing(id))
    let holder = holder(of: request)
    let code = try await database.transaction {
      (transaction) throws(ApplicationError) -> String in
      let (_, counts) = try await transaction.run(
        ForgetPairings(before: now), CountPairings(holder: holder))
      guard counts.first?.ofHolder ?? 0 < Self.waitingOfNetworkMax else {
        throw .rateLimited(retryAfter: 60)
      }
      if counts.first?.all ?? 0 >= Self.waitingMax {
        try await transaction.run(MakeWayForPairing())
      }
      for _ in 0..<Self.drawsMax {
        let code = PairingCode.random()
        let row = InsertPairing(
          code: codes.value(of: code), pairing: id, secret: secret.hash, sealed: sealed,
          types: payload.types.storedBits, expiresAt: now + Self.codeMax, holder: holder)
        if try await transaction.runOne(row) == true { return code }
      }
      throw .unavailable()
    }
    return Response.json {
      $0.field("pairingID", id.description)
      $0.field("pairingSecret", secret.text)
      $0.field("code", code)
      $0.field("expiresIn", Int(Self.codeMax.components.seconds))
    }.notStored()
  }

  /// The network of the client as the gateway saw it, a value that no code of six digits equals:
  /// the IPv4 address, or the part of an IPv6 address that one client owns as a whole.
  private func holder(of request: Request) -> BlindValue {
    let address = request.head.fields[.internalClient] ?? ""
    return codes.value(of: "from " + address.split(separator: ":").prefix(4).joined(separator: ":"))
  }

  // MARK: Confirming

  /// The result of entering a code. A wrong code is a value, because it is counted and must not
  /// roll back its transaction.
  private enum Confirmation {
    case wrongCode
    case tooManyWrong(retryAfter: Int)
    case found(PairingRow, device: Int32?)
  }

  /// - Throws: `invalid`; `notFound` for a code that no device shows to this person; `conflict`
  ///   with twenty devices; `rateLimited` after five wrong codes; `unauthenticated` if the session
  ///   has ended meanwhile; `unavailable`.
  @Sendable private func confirm(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: ConfirmPairingBody = try request.payload()
    let sealingKey = try await accountKeys.key(of: caller.account)
    let confirmation = try await database.transaction {
      (transaction) throws(ApplicationError) in
      try await confirm(payload, caller, sealingKey, in: transaction)
    }
    switch confirmation {
    case .wrongCode:
      throw .notFound(
        "No device is waiting with this code. A code expires after ten minutes or five wrong "
          + "attempts; the device can request a new one.")
    case .tooManyWrong(let seconds): throw .rateLimited(retryAfter: seconds)
    case .found(let row, let device):
      security.announce()
      let description = try description(of: row)
      return Response.json {
        $0.field("name", description.name)
        $0.field("model", description.model)
        $0.field("types", DataTypeSet(stored: row.types).map(\.name))
        $0.fieldIfPresent("deviceID", device?.description)
      }.notStored()
    }
  }

  private func confirm(
    _ payload: ConfirmPairingBody, _ caller: Identity, _ sealingKey: SealingKey,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Confirmation {
    let (account, now) = (caller.account, environment.now())
    try await transaction.lockAccount(of: caller)
    guard var tries = try await transaction.runOne(LockPairingTries(account: account, at: now))
    else { throw .internalError(because: "The locked attempts of a pairing code are missing.") }
    let over = tries.firstAt + Self.triesWindow
    if over <= now { tries = LockPairingTries.Row(wrong: 0, firstAt: now) }
    guard tries.wrong < Self.wrongCodesMax else {
      let wait = over.microsecondsSince1970 - now.microsecondsSince1970
      return .tooManyWrong(retryAfter: Int((wait + 999_999) / 1_000_000))
    }
    let row = try await transaction.runOne(
      LockPairingOfCode(code: codes.value(of: payload.code), now: now))
    guard let row, row.account == nil || row.account == account else {
      let firstAt = tries.wrong == 0 ? now : tries.firstAt
      try await transaction.run(
        CountWrongCode(account: account, wrong: tries.wrong + 1, firstAt: firstAt))
      return .wrongCode
    }
    guard payload.accepts, row.device == nil else { return .found(row, device: row.device) }
    let device = try await add(row, to: account, sealingKey, at: now, in: transaction)
    let described = try description(of: row)
    let paired = SecurityEvent.devicePaired(name: described.name, model: described.model)
    if let replaced = payload.replaces {
      let removal = DeviceRemoval(account: account, device: replaced, successor: device, at: now)
      try await removal.release(in: transaction)
      try await security.add(paired, to: account, in: transaction)
      try await transaction.run(EndDeviceToken(account: account, number: replaced, at: now))
    } else {
      try await checkRoom(of: account, in: transaction)
      try await security.add(paired, to: account, in: transaction)
    }
    return .found(row, device: device)
  }

  /// Makes a pending pairing a device of the account; the device fetches its token later. The lock
  /// on the account's tries prevents that two devices get the same number.
  private func add(
    _ row: PairingRow, to account: AccountID, _ sealingKey: SealingKey, at now: Instant,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int32 {
    let numbers = try await transaction.runOne(DeviceNumbers(account: account))
    let (number, isFull) = (numbers?.greatest ?? 0).addingReportingOverflow(1)
    guard !isFull else { throw .conflict("The account can't have more devices.") }
    let sealed = try description(of: row).sealed(
      under: sealingKey, for: .device(number, of: account))
    try await transaction.run(
      InsertDevice(
        account: account, number: number, types: row.types, sealed: sealed, at: now),
      ConfirmPairing(
        pairing: row.pairing, account: account, device: number, expiresAt: now + Self.codeMax))
    return number
  }

  /// - Throws: `conflict` if the device just added exceeds the limit.
  private func checkRoom(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let numbers = try await transaction.runOne(DeviceNumbers(account: account))
    guard numbers?.paired ?? 0 <= Self.devicesMax else {
      throw .conflict("An account has at most \(Self.devicesMax) devices: remove one first.")
    }
  }

  private func description(of row: PairingRow) throws(ApplicationError) -> DeviceDescription {
    try DeviceDescription(
      sealed: row.sealed, under: waitingKey.value, for: .pairing(row.pairing))
  }

  // MARK: Finishing

  /// The answer to a device that asks whether it is paired.
  private enum Ending {
    case waiting
    case paired(Int32)
  }

  /// - Throws: `invalid`; `notFound` for an unknown pairing or secret; `conflict` the second time;
  ///   `unavailable`.
  @Sendable private func finish(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: FinishPairingBody = try request.payload()
    guard let pairing = UniversalID(payload.pairingID) else {
      throw .invalid(
        "Use the `pairingID` of the response that started the pairing.", field: "pairingID")
    }
    guard let secret = genuine(payload.secret) else { throw .notFound }
    let token = tokens.issue(.device)
    let now = environment.now()
    let ending = try await database.transaction {
      (transaction) throws(ApplicationError) -> Ending in
      let held = try await transaction.runOne(
        HoldAccountOfPairing(pairing: pairing, secret: secret))
      let row = try await transaction.runOne(
        LockPairing(pairing: pairing, secret: secret, now: now))
      guard let row else { throw .notFound }
      // If the pairing was accepted in between, the account is read again.
      guard let account = row.account, account == held, let device = row.device else {
        return .waiting
      }
      guard !row.isFinished else { throw .conflict("The token has already been issued.") }
      let given = try await transaction.runOne(
        StoreDeviceToken(account: account, number: device, token: token.hash))
      guard given == true else { throw .notFound }
      try await transaction.commit(
        FinishPairing(pairing: row.pairing),
        StartToken(
          token: token.hash, account: account, kind: .singleUser, bearer: .device,
          device: device, at: now))
      return .paired(device)
    }
    switch ending {
    case .waiting:
      return Response.json(status: .accepted) {
        $0.field("message", "The pairing is not accepted yet")
      }.notStored()
    case .paired(let device):
      return Response.json {
        $0.field("deviceToken", token.text)
        $0.field("deviceID", device.description)
      }.notStored()
    }
  }

  /// The hash of a pairing's secret; nil for a text that we never issued.
  private func genuine(_ text: String) -> TokenHash? {
    do throws(CryptographyError) {
      let token = try tokens.verify(text.utf8.span)
      return token.kind == .pairing ? token.hash : nil
    } catch {
      return nil
    }
  }
}
