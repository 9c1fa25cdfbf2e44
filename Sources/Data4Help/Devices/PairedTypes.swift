import Domain
import EventLoop
import HTTP
import Postgres
import PublicAPI
import Services

/// The types that devices were paired for: what their users saw when they typed the code (DAT-3).
///
/// They never change, and a device's number is never given twice, so that those of devices that
/// upload stay in memory. One per event loop.
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

  private let database: Database
  private let memory: LoopBound<Memory>

  init(_ surroundings: Surroundings) {
    database = surroundings.database
    memory = LoopBound(Memory(), on: surroundings.loop)
  }

  /// Checks that who brings these samples, in that field of a body, may do so; who is no device may
  /// bring any.
  ///
  /// - Throws: 403 for a type that the device was not paired for, 503.
  func check(
    _ samples: [NewSample], from caller: Identity, in field: String = "dataTypes"
  ) async throws(Problem) {
    guard case .device(let number) = caller.bearer else { return }
    let types = try await types(of: Device(account: caller.account, number: number))
    try Self.check(samples, types, in: field)
  }

  /// Checks the same as far as memory knows the device; false where it does not.
  ///
  /// - Throws: 403 for a type that the device was not paired for.
  func checkKnown(_ samples: [NewSample], from caller: Identity) throws(Problem) -> Bool {
    guard case .device(let number) = caller.bearer else { return true }
    let device = Device(account: caller.account, number: number)
    guard let types = memory.value.types[device] else { return false }
    try Self.check(samples, types, in: "dataTypes")
    return true
  }

  private static func check(
    _ samples: [NewSample], _ types: DataTypeSet, in field: String
  ) throws(Problem) {
    guard let other = samples.first(where: { !types.contains($0.type) }) else { return }
    throw Problem(
      .forbidden, "Wrong parameters",
      detail: "This device was not paired for \(other.type.name): leave it out, or pair the device "
        + "again with every type that it brings.", field: field)
  }

  private func types(of device: Device) async throws(Problem) -> DataTypeSet {
    if let known = memory.value.types[device] { return known }
    let row = try await database.row(DeviceTypes(account: device.account, number: device.number))
    guard let row else { return .none }
    let types = DataTypeSet(stored: row)
    memory.value.types[device] = types
    return types
  }
}
