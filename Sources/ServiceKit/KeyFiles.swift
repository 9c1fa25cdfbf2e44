import Cryptography
import EventLoop
import Operations

extension Settings {
  /// Reads the secret from which server keys derive.
  ///
  /// - Throws: `StartError` that names the file if it is missing or malformed.
  package func rootSecret() throws(StartError) -> RootSecret { RootSecret(try rootKeys()) }

  /// Reads the secrets of the root secret's file, the one in use first.
  ///
  /// - Throws: `StartError` that names the file if it is missing or malformed.
  package func rootKeys() throws(StartError) -> RootKeyRing {
    try keyFile(SettingTable.rootSecretPath) { (bytes) throws(CryptographyError) in
      try KeyFile.rootKeys(bytes)
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
    return try SecretFile(path: path).keys(parse)
  }
}

extension SecretFile {
  fileprivate func keys<Value>(
    _ parse: (Span<UInt8>) throws(CryptographyError) -> Value
  ) throws(StartError) -> Value {
    var bytes: [UInt8]
    let isPrivate: Bool
    do throws(SystemError) {
      isPrivate = try self.isPrivate()
      bytes = try read()
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

/// The file of the master keys, which a rotation replaces while processes use it, and the file of
/// retired keys beside it, which opens backups made before.
package struct MasterKeyFile: Sendable {
  /// The path of the current keys.
  package let path: String
  /// The path of the retired keys.
  package var retiredPath: String { "\(path).retired" }

  /// Names the file at `path` without reading it.
  package init(path: String) { self.path = path }

  /// The file that the settings name.
  ///
  /// - Throws: `StartError` for a wrong setting.
  package init(_ settings: Settings) throws(StartError) {
    do throws(SettingsError) { path = try settings.value(SettingTable.masterKeyPath) } catch {
      throw StartError(error)
    }
  }

  /// The current keys.
  ///
  /// - Throws: `StartError` that names the file if it is missing or malformed.
  package func read() throws(StartError) -> MasterKeyRing { try Self.read(path) }

  /// The retired keys; nil if there is no file of them.
  ///
  /// - Throws: `StartError` that names the file if it is malformed.
  package func readRetired() throws(StartError) -> MasterKeyRing? {
    FileSystem.exists(retiredPath) ? try Self.read(retiredPath) : nil
  }

  /// Replaces the current keys atomically; the owner of the file stays.
  ///
  /// - Throws: `StartError`, with the file unchanged.
  package func write(_ ring: MasterKeyRing) throws(StartError) { try write(ring, to: path) }

  /// Adds keys to the file of retired ones.
  ///
  /// - Throws: `StartError`, with the file unchanged.
  package func retire(_ ring: MasterKeyRing) throws(StartError) {
    guard let former = try readRetired() else { return try write(ring, to: retiredPath) }
    let all: MasterKeyRing
    do throws(CryptographyError) { all = try ring.appending(former) } catch {
      throw StartError("The key file \(retiredPath) is full: keep it elsewhere, and remove it.")
    }
    if all.identifiers.count > former.identifiers.count { try write(all, to: retiredPath) }
  }

  private static func read(_ path: String) throws(StartError) -> MasterKeyRing {
    try SecretFile(path: path).keys { (bytes) throws(CryptographyError) in
      try KeyFile.masterKeys(bytes)
    }
  }

  private func write(_ ring: MasterKeyRing, to path: String) throws(StartError) {
    var bytes = KeyFile.text(of: ring).withBytes { span in span.indices.map { span[$0] } }
    defer { bytes.wipe() }
    do throws(SystemError) {
      let owner = try FileSystem.owner(of: self.path)
      try FileSystem.writeAtomically(path, bytes, owner: owner)
    } catch {
      throw StartError("The key file \(path) can't be written", error)
    }
  }
}
