import Cryptography
import EventLoop
import Operations

extension Settings {
  /// Reads the secret from which server keys derive.
  ///
  /// - Throws: `StartError` that names the file if it is missing or malformed.
  package func rootSecret() throws(StartError) -> RootSecret {
    try keyFile(SettingTable.rootSecretPath) { (bytes) throws(CryptographyError) in
      try KeyFile.rootSecret(bytes)
    }
  }

  /// Reads the keys that wrap the account keys.
  ///
  /// - Throws: `StartError` that names the file if it is missing or malformed.
  package func masterKeys() throws(StartError) -> MasterKeyRing {
    try keyFile(SettingTable.masterKeyPath) { (bytes) throws(CryptographyError) in
      try KeyFile.masterKeys(bytes)
    }
  }

  /// Reads the key that push services know.
  ///
  /// - Throws: `StartError` that names the file if it is missing or malformed.
  package func pushKey() throws(StartError) -> PushKey {
    try keyFile(SettingTable.pushKeyPath) { (bytes) throws(CryptographyError) in
      try KeyFile.pushKey(bytes)
    }
  }

  private func keyFile<Value>(
    _ setting: Setting<String>, _ parse: (Span<UInt8>) throws(CryptographyError) -> Value
  ) throws(StartError) -> Value {
    let path: String
    do throws(SettingsError) { path = try value(setting) } catch { throw StartError(error) }
    var bytes: [UInt8]
    let isPrivate: Bool
    do throws(SystemError) {
      let file = SecretFile(path: path)
      isPrivate = try file.isPrivate()
      bytes = try file.read()
    } catch {
      throw StartError("The key file \(path) can't be read", error)
    }
    defer { bytes.wipe() }
    guard isPrivate else {
      throw StartError("The key file \(path) is open to other users: run `chmod 600 \(path)`.")
    }
    do throws(CryptographyError) { return try parse(bytes.span) } catch {
      throw StartError("The key file \(path) is not usable: \(error.description)")
    }
  }
}
