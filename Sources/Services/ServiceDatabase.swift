import EventLoop
import Operations
import Postgres

extension ServiceProcess {
  /// The database of a setting on one loop, with what happens to its connections in the log.
  ///
  /// - Throws: `SettingsError` when the setting is missing.
  package func database(
    _ setting: Setting<Secret>, on loop: EventLoop
  ) throws(SettingsError) -> Database {
    let url = try settings.value(setting).revealed
    let name = try settings.optional(SettingTable.processName) ?? kind.rawValue
    let log = log
    return Database(DatabaseSettings(url: url, applicationName: name), on: loop) { event in
      switch event {
      case .connected: log.debug("a database connection is open")
      case .connectFailed, .lost, .timedOut:
        log.warning("database", [.safe("event", OperatorText(event.description))])
      case .notice: log.info("database", [.safe("event", OperatorText(event.description))])
      }
    }
  }
}
