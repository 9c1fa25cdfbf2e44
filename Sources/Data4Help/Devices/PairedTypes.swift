import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import PublicAPI
import Services

/// The types that devices were paired for: what their users saw when they typed the code (DAT-3).
///
/// They never change, and a device's number is never given twice, so that those of devices that
/// upload or raise alerts stay in memory. One per event loop.
struct PairedTypes: Sendable {
  /// Devices whose types stay in memory at most.
  static let countMax = 20_000

  private struct Device: Hashable {
    let account: AccountID
    let number: Int32
  }

  private final class Memory {
    var types = RecentlyUsed<Device, DataTypeSet>(countMax: PairedTypes.countMax)
  }

  private let memory: LoopBound<Memory>
  private let log: Log

  /// None is known yet.
  init(on loop: EventLoop, log: Log) {
    memory = LoopBound(Memory(), on: loop)
    self.log = log
  }

  /// Checks that who brings these samples, in that field of a body, may do so; who is no device may
  /// bring any.
  ///
  /// - Throws: 403 for a type that the device was not paired for, 503; also where the database has
  ///   not said in `time` what that was.
  func check(
    _ samples: [NewSample], from caller: Identity, in field: String = "dataTypes",
    asking database: Database, within time: Duration? = nil
  ) async throws(ApplicationError) {
    guard case .device(let number) = caller.bearer else { return }
    let device = Device(account: caller.account, number: number)
    try Self.check(samples, try await types(of: device, database, time), in: field)
  }

  /// The types that a caller may bring; nil for all, where it is no device, and where the database
  /// has not said in `time`, which is logged: an alarm is an alarm then.
  func types(
    of caller: Identity, asking database: Database, within time: Duration
  ) async -> DataTypeSet? {
    guard case .device(let number) = caller.bearer else { return nil }
    let device = Device(account: caller.account, number: number)
    do throws(ApplicationError) { return try await types(of: device, database, time) } catch {
      log.failure(
        "look up types of device failed", error, level: .warning,
        .number("account_id", caller.account.rawValue), .number("device", number))
      return nil
    }
  }

  private static func check(
    _ samples: [NewSample], _ types: DataTypeSet, in field: String
  ) throws(ApplicationError) {
    guard let other = samples.first(where: { !types.contains($0.type) }) else { return }
    throw ApplicationError(
      .forbidden,
      detail: "This device was not paired for \(other.type.name): leave it out, or pair the device "
        + "again with every type that it brings.", field: field)
  }

  private func types(
    of device: Device, _ database: Database, _ time: Duration?
  ) async throws(ApplicationError) -> DataTypeSet {
    if let known = memory.value.types[device] { return known }
    let rows: [Int64]
    do throws(PostgresError) {
      rows = try await database.read(
        DeviceTypes(account: device.account, number: device.number), within: time)
    } catch { throw .database(error) }
    guard let row = rows.first else { return .none }
    let types = DataTypeSet(stored: row)
    memory.value.types[device] = types
    return types
  }
}
