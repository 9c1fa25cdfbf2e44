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
    let process = try settings.optional(SettingTable.processName) ?? kind.rawValue
    let ofKeys = setting.definition.name == SettingTable.keysDatabaseURL.definition.name
    let name = KnownMigrations.sessionName(
      of: process, knowing: ofKeys ? KnownMigrations.keys : KnownMigrations.data)
    var connections = DatabaseSettings(url: url, applicationName: name)
    if let readers { connections.readConnections = readers }
    if let writers { connections.writeConnections = writers }
    let log = log
    return Database(connections, on: loop) { event in
      let sentence = OperatorText(event.description)
      switch event {
      case .connected: log.debug("database connection opened")
      case .connectFailed: log.warning("connect to database failed", [.safe("cause", sentence)])
      case .handoverAnnounced: log.info("database handover announced", [.safe("effect", sentence)])
      case .lost: log.warning("database connection lost", [.safe("cause", sentence)])
      case .timedOut: log.warning("run statement failed", [.safe("cause", sentence)])
      case .notice: log.info("database notice received", [.safe("notice", sentence)])
      }
    }
  }
}
