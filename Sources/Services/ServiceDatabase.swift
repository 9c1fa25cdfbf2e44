import EventLoop
import Operations
import Postgres

extension ServiceProcess {
  /// The database of a setting on one loop, which logs the events of its connections. `readers` and
  /// `writers` override the usual numbers of connections.
  ///
  /// - Throws: `SettingsError` when the setting is missing.
  package func database(
    _ setting: Setting<Secret>, on loop: EventLoop, readers: Int? = nil, writers: Int? = nil
  ) throws(SettingsError) -> Database {
    let url = try settings.value(setting).revealed
    let name = try settings.optional(SettingTable.processName) ?? kind.rawValue
    var connections = DatabaseSettings(url: url, applicationName: name)
    if let readers { connections.readConnections = readers }
    if let writers { connections.writeConnections = writers }
    let log = log
    return Database(connections, on: loop) { event in
      switch event {
      case .connected: log.debug("a database connection is open")
      case .connectFailed, .lost, .timedOut:
        log.warning("database", [.safe("event", OperatorText(event.description))])
      case .notice: log.info("database", [.safe("event", OperatorText(event.description))])
      }
    }
  }
}
