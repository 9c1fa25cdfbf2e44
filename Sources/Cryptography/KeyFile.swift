import Bytes

/// The text format of the files with the installation's keys.
///
/// Lines end in a line feed; empty lines and those that begin with `#` are skipped. A line
/// `trackme-root-kept-1 IDENTIFIER CHECK KEYS` of the root secret's file holds the keys that the
/// former secret of this identifier left, the oldest first, and their own identifier. Every other
/// line is `trackme-master-key-1 IDENTIFIER KEY` (or `trackme-root-secret-1`,
/// `trackme-push-key-1`), with the identifier as 16 and the key as 64 lower-case hexadecimal
/// digits. The identifier is derived from the key, so that typing errors are detected. The writer
/// must make the file readable for its owner only.
package enum KeyFile {
  /// The largest number of keys in one file.
  package static let keysMax = 64
  /// The largest file that is read, in bytes.
  package static let bytesMax = 16_384

  /// Reads master keys, newest first.
  ///
  /// Throws `keyFileMalformed` with the line (1 for a file over 16 KiB), also for a duplicate key,
  /// and `keyFileCountWrong` for no key or more than 64.
  package static func masterKeys(_ file: Span<UInt8>) throws(CryptographyError) -> MasterKeyRing {
    let found = try keys(file, kind: "trackme-master-key-1")
    return try MasterKeyRing(newestFirst: found.map { MasterKey(checked: $0) })
  }

  /// Reads the root secrets, the one in use first, and the keys that former ones left.
  /// Throws as `masterKeys`, and `keyFileCountWrong` for keys of more than 12 former secrets.
  package static func rootKeys(_ file: Span<UInt8>) throws(CryptographyError) -> RootKeyRing {
    var kept: [KeptKeys] = []
    let found = try keys(file, kind: "trackme-root-secret-1") { line in
      guard let left = keptKeys(line), !kept.contains(where: { $0.identifier == left.identifier })
      else { return false }
      kept.append(left)
      return true
    }
    return try RootKeyRing(newestFirst: found.map { RootKey(checked: $0) }, kept: kept)
  }

  /// Reads the key for push services; the file must contain exactly one. Throws as `masterKeys`.
  package static func pushKey(_ file: Span<UInt8>) throws(CryptographyError) -> PushKey {
    let found = try keys(file, kind: "trackme-push-key-1")
    guard let secret = found.first, found.count == 1, let key = PushKey(checked: secret) else {
      throw .keyFileCountWrong
    }
    return key
  }

  /// The contents of the file for these master keys.
  package static func text(of ring: MasterKeyRing) -> SecretBytes {
    let remark = """
      # Master keys of TrackMe, newest first: the first wraps, all unwrap.
      # Without this file nothing that is sealed can ever be read again.

      """
    return text(of: ring.keys.map(\.bytes), kind: "trackme-master-key-1", remark: remark)
  }

  /// The contents of the file for these root secrets.
  package static func text(of ring: RootKeyRing) -> SecretBytes {
    let remark = """
      # Root secret of TrackMe: tokens, blind indexes and the audit chain depend on it.
      # The first is in use; what was made under a further one is accepted.

      """
    let kept = ring.kept.map { ($0.identifier, $0.bytes) }
    return text(
      of: ring.keys.map(\.bytes), kind: "trackme-root-secret-1", remark: remark, kept: kept)
  }

  /// The contents of the file for this key for push services.
  package static func text(of key: PushKey) -> SecretBytes {
    let remark = """
      # Key of TrackMe for push services: the subscriptions of browsers are bound to it.

      """
    return text(of: [key.bytes], kind: "trackme-push-key-1", remark: remark)
  }

  private static func text(
    of keys: [SecretBytes], kind: String, remark: String,
    kept: [(KeyIdentifier, SecretBytes)] = []
  ) -> SecretBytes {
    var text = Array(remark.utf8)
    // At once, so that no copy of a key stays in memory that is given back.
    text.reserveCapacity(text.count + keys.count * 128 + kept.count * 1_280)
    func append(_ start: String, _ key: SecretBytes) {
      text += Array("\(start) \(KeyIdentifier(of: key)) ".utf8)
      key.withBytes { Hexadecimal.append($0, to: &text) }
      text.append(UInt8(ascii: "\n"))
    }
    for key in keys { append(kind, key) }
    for (identifier, keys) in kept { append("\(keptKind) \(identifier)", keys) }
    return SecretBytes(consuming: &text)
  }

  private static let keptKind = "trackme-root-kept-1"

  /// The keys of a line that begins with `kind`; `isOther` takes lines of other kinds.
  private static func keys(
    _ file: Span<UInt8>, kind: String, _ isOther: (Span<UInt8>) -> Bool = { _ in false }
  ) throws(CryptographyError) -> [SecretBytes] {
    guard file.count <= bytesMax else { throw .keyFileMalformed(line: 1) }
    var keys: [SecretBytes] = []
    var seen: Set<KeyIdentifier> = []
    var start = 0
    var number = 0
    while start < file.count {
      number += 1
      var end = start
      while end < file.count, file[end] != UInt8(ascii: "\n") { end += 1 }
      let line = file.extracting(start..<end)
      start = end + 1
      if line.isEmpty || line[0] == UInt8(ascii: "#") || isOther(line) { continue }
      guard let key = key(line, kind: kind), seen.insert(KeyIdentifier(of: key)).inserted else {
        throw .keyFileMalformed(line: number)
      }
      keys.append(key)
    }
    guard (1...keysMax).contains(keys.count) else { throw .keyFileCountWrong }
    return keys
  }

  private static func keptKeys(_ line: Span<UInt8>) -> KeptKeys? {
    let start = "\(keptKind) ".utf8.count
    guard line.count > start + 16,
      let name = Hexadecimal.decode(line.extracting(start..<start + 16))
    else { return nil }
    let identifier = KeyIdentifier(value: name.span.bigEndianWord(at: 0))
    return key(line, kind: "\(keptKind) \(identifier)", count: KeptKeys.byteCount)
      .map { KeptKeys(of: identifier, checked: $0) }
  }

  private static func key(_ line: Span<UInt8>, kind: String, count: Int = 32) -> SecretBytes? {
    let prefix = Array("\(kind) ".utf8)
    guard line.count == prefix.count + 16 + 1 + 2 * count else { return nil }
    for index in prefix.indices where line[index] != prefix[index] { return nil }
    let named = line.extracting(prefix.count..<prefix.count + 16)
    guard line[prefix.count + 16] == UInt8(ascii: " "),
      let identifier = Hexadecimal.decode(named),
      var decoded = Hexadecimal.decode(line.extracting(last: 2 * count))
    else { return nil }
    let key = SecretBytes(consuming: &decoded)
    let isIntact = KeyIdentifier(of: key).value == identifier.span.bigEndianWord(at: 0)
    return isIntact ? key : nil
  }
}
