/// A key that shares its file with others of its kind.
package protocol RingKey: Sendable {
  /// The identifier, derived from the key itself.
  var identifier: KeyIdentifier { get }
  /// Generates a new key.
  static func random() -> Self
}

/// The keys of one file, newest first: the newest makes what is new, all of them open what exists.
package struct KeyRing<Key: RingKey>: Sendable {
  let keys: [Key]

  /// Creates a ring of 1 to 64 keys; throws `keyFileCountWrong` for another number.
  package init(newestFirst keys: [Key]) throws(CryptographyError) {
    guard (1...KeyFile.keysMax).contains(keys.count) else { throw .keyFileCountWrong }
    self.keys = keys
  }

  /// A ring with one new key.
  package static func random() -> KeyRing { KeyRing(checked: [.random()]) }

  private init(checked keys: [Key]) { self.keys = keys }

  /// The ring with a new key at the front, which makes everything from then on.
  ///
  /// Throws `keyFileCountWrong` if it holds 64 already.
  package func rotated() throws(CryptographyError) -> KeyRing {
    try KeyRing(newestFirst: [.random()] + keys)
  }

  /// The ring with a new key at the end, which no process uses for new things yet.
  ///
  /// Throws `keyFileCountWrong` if it holds 64 already.
  package func announcing() throws(CryptographyError) -> KeyRing {
    try KeyRing(newestFirst: keys + [.random()])
  }

  /// The ring with one of its keys at the front; unchanged if it lacks that key.
  package func promoting(_ identifier: KeyIdentifier) -> KeyRing {
    KeyRing(
      checked: keys.filter { $0.identifier == identifier }
        + keys.filter { $0.identifier != identifier })
  }

  /// The ring followed by those keys of another one that it lacks.
  ///
  /// Throws `keyFileCountWrong` for more than 64 keys.
  package func appending(_ other: KeyRing) throws(CryptographyError) -> KeyRing {
    let known = Set(identifiers)
    return try KeyRing(
      newestFirst: keys + other.keys.filter { !known.contains($0.identifier) })
  }

  /// The keys with these identifiers; nil for none.
  package func only(_ chosen: Set<KeyIdentifier>) -> KeyRing? {
    let found = keys.filter { chosen.contains($0.identifier) }
    return found.isEmpty ? nil : KeyRing(checked: found)
  }

  /// The ring with the keys of these identifiers only; the newest always stays.
  package func keeping(_ used: Set<KeyIdentifier>) -> KeyRing {
    KeyRing(
      checked: keys.enumerated().filter { $0.offset == 0 || used.contains($0.element.identifier) }
        .map(\.element))
  }

  /// The identifiers, newest first.
  package var identifiers: [KeyIdentifier] { keys.map(\.identifier) }
}

/// The master keys of an installation: the newest wraps account keys, all of them unwrap.
package typealias MasterKeyRing = KeyRing<MasterKey>
