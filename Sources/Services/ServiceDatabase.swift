import EventLoop
import Operations
import Postgres
import Privacy

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

  /// The secret that server keys derive from.
  ///
  /// - Throws: `StartError` that names the file when it is missing or not such a file.
  package func rootSecret() throws(StartError) -> RootSecret {
    try keyFile(SettingTable.rootSecretPath) { (bytes) throws(PrivacyError) in
      try KeyFile.rootSecret(bytes)
    }
  }

  /// The keys that wrap the account keys.
  ///
  /// - Throws: `StartError` that names the file when it is missing or not such a file.
  package func masterKeys() throws(StartError) -> MasterKeyRing {
    try keyFile(SettingTable.masterKeyPath) { (bytes) throws(PrivacyError) in
      try KeyFile.masterKeys(bytes)
    }
  }

  private func keyFile<Value>(
    _ setting: Setting<String>, _ parse: (Span<UInt8>) throws(PrivacyError) -> Value
  ) throws(StartError) -> Value {
    let path = try read { (settings) throws(SettingsError) in try settings.value(setting) }
    var bytes: [UInt8]
    do throws(SystemError) { bytes = try SecretFile(path: path).read() } catch {
      throw StartError("The key file \(path) can't be read", error)
    }
    defer { bytes.wipe() }
    do throws(PrivacyError) { return try parse(bytes.span) } catch {
      throw StartError("The key file \(path) is not usable: \(error.description)")
    }
  }
}
