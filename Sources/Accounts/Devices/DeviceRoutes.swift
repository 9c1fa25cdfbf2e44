import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// A person's management of paired devices (DAT-3): list them, choose the one that provides a data
/// type, and remove one.
package struct DeviceRoutes: Sendable {
  private let environment: Environment
  private let database: Database
  private let accountKeys: AccountKeys
  private let effects: IdempotentEffects

  /// Routes over the accounts of this database.
  package init(
    environment: Environment, database: Database, accountKeys: AccountKeys,
    effects: IdempotentEffects
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.effects = effects
  }

  /// The rows of the route table.
  package var routes: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.listDevices, list),
      routes.identified(.removeDevice, remove),
      routes.identified(.assignDevice, assign),
    ]
  }

  @Sendable private func list(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let rows = try await database.rows(Devices(account: caller.account))
    let stored = try await database.row(ReadAssignedTypes(account: caller.account))
    guard let assigned = AssignedTypes(stored: stored ?? []) else {
      throw .internalError(because: "The stored devices of data types are corrupt.")
    }
    let sealingKey = try await accountKeys.key(of: caller.account)
    var entries: [(row: Devices.Row, description: DeviceDescription)] = []
    for row in rows {
      guard let sealed = row.sealed else { continue }
      let description = try DeviceDescription(
        sealed: sealed, under: sealingKey, for: .device(row.number, of: caller.account))
      entries.append((row, description))
    }
    return .json { writer in
      writer.array("devices") { writer in
        for (row, description) in entries { row.write(description, assigned, to: &writer) }
      }
    }
  }

  /// - Throws: `notFound` for a device that is unknown or belongs to another account,
  ///   `unavailable`.
  @Sendable private func remove(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let device = request.pathParameters["deviceID"].flatMap({ Int32($0) }) else {
      throw .notFound
    }
    let removal = DeviceRemoval(
      account: caller.account, device: device, at: environment.now())
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await removal.run(in: transaction)
    }
    return .message("Action successful")
  }

  /// - Throws: `notFound` for an unknown device, `conflict` for one that does not provide the type,
  ///   `unavailable`.
  @Sendable private func assign(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: AssignDeviceBody = try request.payload()
    return try await effects.run(request, for: caller.account) {
      (transaction) throws(ApplicationError) in
      var assigned = try await AssignedTypes.lock(of: caller.account, in: transaction)
      if let device = payload.device {
        let bits = try await transaction.runOne(
          DeviceTypes(account: caller.account, number: device))
        guard let bits else { throw .notFound }
        guard DataTypeSet(stored: bits).contains(payload.type) else {
          throw .conflict("The device does not provide \(payload.type.name).")
        }
      }
      assigned[payload.type] = payload.device
      try await transaction.run(
        AssignTypes(account: caller.account, assigned: assigned.stored))
      return .message("Action successful")
    }
  }
}

extension Devices.Row {
  fileprivate func write(
    _ description: DeviceDescription, _ assigned: AssignedTypes, to writer: inout JSONWriter
  ) {
    writer.object {
      $0.field("deviceID", number.description)
      $0.field("name", description.name)
      $0.field("model", description.model)
      $0.field("types", DataTypeSet(stored: types).map(\.name))
      $0.field("assignedTypes", assigned.types(of: number).map(\.name))
      $0.field("pairedAt", pairedAt.description)
      let isSeen = lastUsedAt != startedAt
      $0.field("lastSeen", isSeen ? lastUsedAt?.description : nil)
    }
  }
}
