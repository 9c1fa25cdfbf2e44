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

/// Keys of a file that a rotation replaces.
package protocol RotatedKeys: Sendable {
  /// The setting that names the file.
  static var setting: Setting<String> { get }
  /// Reads the contents of a file.
  static func parsed(_ file: Span<UInt8>) throws(CryptographyError) -> Self
  /// The contents of a file.
  var text: SecretBytes { get }
  /// The names of the keys.
  var identifiers: [KeyIdentifier] { get }
  /// The keys followed by those of another file that they lack.
  func appending(_ other: Self) throws(CryptographyError) -> Self
}

extension MasterKeyRing: RotatedKeys {
  /// That of the master keys.
  package static var setting: Setting<String> { SettingTable.masterKeyPath }
  /// Reads master keys.
  package static func parsed(_ file: Span<UInt8>) throws(CryptographyError) -> MasterKeyRing {
    try KeyFile.masterKeys(file)
  }
  /// The contents of the file.
  package var text: SecretBytes { KeyFile.text(of: self) }
}

extension RootKeyRing: RotatedKeys {
  /// That of the root secrets.
  package static var setting: Setting<String> { SettingTable.rootSecretPath }
  /// Reads root secrets.
  package static func parsed(_ file: Span<UInt8>) throws(CryptographyError) -> RootKeyRing {
    try KeyFile.rootKeys(file)
  }
  /// The contents of the file.
  package var text: SecretBytes { KeyFile.text(of: self) }
}

/// The file of the master keys.
package typealias MasterKeyFile = RotatedKeyFile<MasterKeyRing>
/// The file of the root secrets.
package typealias RootSecretFile = RotatedKeyFile<RootKeyRing>

/// A file of keys that a rotation replaces while processes use it, and the file of retired keys
/// beside it, which opens backups made before.
package struct RotatedKeyFile<Keys: RotatedKeys>: Sendable {
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
    do throws(SettingsError) { path = try settings.value(Keys.setting) } catch {
      throw StartError(error)
    }
  }

  /// The current keys.
  ///
  /// - Throws: `StartError` that names the file if it is missing or malformed.
  package func read() throws(StartError) -> Keys { try Self.read(path) }

  /// The retired keys; nil if there is no file of them.
  ///
  /// - Throws: `StartError` that names the file if it is malformed.
  package func readRetired() throws(StartError) -> Keys? {
    FileSystem.exists(retiredPath) ? try Self.read(retiredPath) : nil
  }

  /// Replaces the current keys atomically; the owner of the file stays, and so does a symbolic link
  /// to it.
  ///
  /// - Throws: `StartError`, with the file unchanged.
  package func write(_ keys: Keys) throws(StartError) { try write(keys, to: path) }

  /// Adds keys to the file of retired ones.
  ///
  /// - Throws: `StartError`, with the file unchanged.
  package func retire(_ keys: Keys) throws(StartError) {
    guard let former = try readRetired() else { return try write(keys, to: retiredPath) }
    let all: Keys
    do throws(CryptographyError) { all = try keys.appending(former) } catch {
      throw StartError("The key file \(retiredPath) is full: keep it elsewhere, and remove it.")
    }
    if all.identifiers.count > former.identifiers.count { try write(all, to: retiredPath) }
  }

  private static func read(_ path: String) throws(StartError) -> Keys {
    try SecretFile(path: path).keys { (bytes) throws(CryptographyError) in
      try Keys.parsed(bytes)
    }
  }

  private func write(_ keys: Keys, to path: String) throws(StartError) {
    var bytes = keys.text.withBytes { span in span.indices.map { span[$0] } }
    defer { bytes.wipe() }
    do throws(SystemError) {
      let owner = try FileSystem.owner(of: self.path)
      let target = FileSystem.exists(path) ? try FileSystem.resolved(path) : path
      // A killed command may have left keys, which a rotation later means to destroy.
      try FileSystem.removeUnfinished(of: target)
      try FileSystem.writeAtomically(target, bytes, owner: owner)
    } catch {
      throw StartError("The key file \(path) can't be written", error)
    }
  }
}
