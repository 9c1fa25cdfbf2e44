import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// The service of Track4Run as its main runs it.
package enum Track4RunService {
  /// Every statement, for the check against the schema.
  package static let statements: [any Statement.Type] =
    [PublishedRuns.self] + OrganisingStatements.all + EnrolmentStatements.all

  /// Adds the parts of the process, in the order of their start.
  ///
  /// - Throws: `StartError` when a setting or a key file is missing.
  package static func assemble(_ process: ServiceProcess) throws(StartError) {
    let secret = InternalSecret(root: try process.settings.rootSecret())
    let lifecycle = process.lifecycle
    var databases: [ObjectIdentifier: Database] = [:]
    for loop in process.loops {
      databases[ObjectIdentifier(loop)] = try process.read { (_) throws(SettingsError) in
        try process.database(SettingTable.databaseURL, on: loop)
      }
    }
    let listener = try process.read { (_) throws(SettingsError) in
      try ServiceListener(process, secret: secret)
    }
    lifecycle.add(
      listener.component { [databases, world = process.world] loop in
        guard let database = databases[ObjectIdentifier(loop)] else { return [] }
        let runs = RunRoutes(
          database: database, endpoints: EndpointRoutes(), world: world)
        return [.health(isReady: { lifecycle.isReady })] + runs.routes
      })
  }
}
