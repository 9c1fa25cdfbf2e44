import Accounts
import Domain
import EventLoop
import Operations
import Postgres
import PublicAPI
import ServiceKit

/// The types that devices were paired for, which the person saw when entering the code (DAT-3).
///
/// They never change, and a device number is never reused, so the types of devices that upload or
/// raise alerts stay in memory. One per event loop.
package struct PairedTypes: Sendable {
  /// The most devices whose types stay in memory.
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

  /// An empty cache.
  package init(on loop: EventLoop, log: Log) {
    memory = LoopBound(Memory(), on: loop)
    self.log = log
  }

  /// Checks that a caller may upload these samples in this field of a body; a caller that is not a
  /// device may upload any.
  ///
  /// - Throws: `forbidden` for a type that the device was not paired for; `unavailable`, also if
  ///   the database does not answer within `time`.
  package func check(
    _ samples: [NewSample], from caller: Identity, in field: String = "dataTypes",
    asking database: Database, within time: Duration? = nil
  ) async throws(ApplicationError) {
    guard case .device(let number) = caller.bearer else { return }
    let device = Device(account: caller.account, number: number)
    try Self.check(samples, try await types(of: device, database, time), in: field)
  }

  /// The types that a caller may upload. Nil for all: if it is not a device, or if the database did
  /// not answer within `time`, which is logged, because an alarm must not be lost.
  package func types(
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
