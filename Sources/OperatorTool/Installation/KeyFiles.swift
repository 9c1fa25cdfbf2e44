import Cryptography
import EventLoop
import Installation
import Operations

extension Installation {
  /// Creates the master key, the root secret and the key for push services if they are missing.
  ///
  /// Sealed data is unreadable without the first two: a missing file next to an existing database
  /// is an error and is never replaced. The key for push services is replaced, because earlier
  /// versions had none; where subscriptions depend on another one, Data4Help refuses it.
  func prepareKeys(hasDatabase: Bool) throws(StartError) {
    let master = try value(SettingTable.masterKeyPath)
    let root = try value(SettingTable.rootSecretPath)
    let push = try value(SettingTable.pushKeyPath)
    for path in [master, root] where hasDatabase && !FileSystem.exists(path) {
      throw StartError(
        "\(path) is missing: restore it, the database cannot be read without it.")
    }
    do throws(SystemError) {
      try Self.make(master) { KeyFile.text(of: .random() as MasterKeyRing) }
      try Self.make(root) { KeyFile.text(of: .random() as RootKeyRing) }
      try Self.make(push) { KeyFile.text(of: .random() as PushKey) }
    } catch {
      throw StartError("The keys cannot be created", error)
    }
  }

  private static func make(_ path: String, _ text: () -> SecretBytes) throws(SystemError) {
    if FileSystem.exists(path) { return }
    try FileSystem.writeAtomically(path, text().withBytes { Array(copying: $0) })
  }
}

extension Array where Element == UInt8 {
  fileprivate init(copying span: Span<UInt8>) {
    self = span.indices.map { span[$0] }
  }
}
