import Bytes

/// The contents of the root secret's file: the secrets, and the keys that former ones left.
///
/// Keys for new things derive from the first secret, and what was made under any of them is
/// accepted.
package struct RootKeyRing: Sendable {
  /// The largest number of former secrets that leave keys, so that the file stays below its limit.
  package static let keptMax = 12

  private let ring: KeyRing<RootKey>
  /// What former secrets left, the oldest first.
  let kept: [KeptKeys]

  /// The secrets, the one in use first.
  var keys: [RootKey] { ring.keys }

  /// Creates a ring of 1 to 64 secrets and what at most 12 former ones left, the oldest first;
  /// throws `keyFileCountWrong` for other numbers.
  package init(
    newestFirst keys: [RootKey], kept: [KeptKeys] = []
  ) throws(CryptographyError) {
    guard kept.count <= Self.keptMax else { throw .keyFileCountWrong }
    ring = try KeyRing(newestFirst: keys)
    self.kept = kept
  }

  private init(_ ring: KeyRing<RootKey>, _ kept: [KeptKeys]) {
    self.ring = ring
    self.kept = kept
  }

  /// A ring with one new secret.
  package static func random() -> RootKeyRing { RootKeyRing(.random(), []) }

  /// The ring with a new secret at the end, which no process uses for new things yet, and the keys
  /// that the one in use leaves.
  ///
  /// Throws `keyFileCountWrong` if the file is full.
  package func announcing() throws(CryptographyError) -> RootKeyRing {
    let isKept = kept.contains { $0.identifier == keys[0].identifier }
    return try RootKeyRing(
      newestFirst: ring.announcing().keys, kept: kept + (isKept ? [] : [KeptKeys(of: keys[0])]))
  }

  /// The ring with one of its secrets at the front; unchanged if it lacks that secret.
  package func promoting(_ identifier: KeyIdentifier) -> RootKeyRing {
    RootKeyRing(ring.promoting(identifier), kept)
  }

  /// The ring without the further secrets; what former ones left stays.
  package func removingFormer() -> RootKeyRing { RootKeyRing(ring.keeping([]), kept) }

  /// The identifiers of the secrets, the one in use first.
  package var identifiers: [KeyIdentifier] { ring.identifiers }

  /// The identifiers of the former secrets that left keys, the oldest first.
  package var keptIdentifiers: [KeyIdentifier] { kept.map(\.identifier) }

  /// The key for a purpose that no rotation changes: that of the installation's first secret.
  func lastingKey(for purpose: KeyPurpose) -> SecretBytes {
    kept.first?.key(for: purpose) ?? keys[0].key(for: purpose)
  }

  /// The keys for codes of one purpose, that of the secret in use first.
  func codes(_ purpose: KeyPurpose) -> [HMACKey] { keys.map { HMACKey($0.key(for: purpose)) } }

  /// The same, followed by the keys that former secrets left.
  func lastingCodes(_ purpose: KeyPurpose) -> [HMACKey] {
    let known = Set(identifiers)
    let left = kept.filter { !known.contains($0.identifier) }
    return codes(purpose) + left.map { HMACKey($0.key(for: purpose)) }
  }

  /// The ring followed by those secrets of another one that it lacks; what former ones left stays.
  ///
  /// Throws `keyFileCountWrong` for more than 64 secrets.
  package func appending(_ other: RootKeyRing) throws(CryptographyError) -> RootKeyRing {
    RootKeyRing(try ring.appending(other.ring), kept)
  }

  /// The secrets with these identifiers; nil for none.
  package func only(_ chosen: Set<KeyIdentifier>) -> RootKeyRing? {
    ring.only(chosen).map { RootKeyRing($0, []) }
  }
}

/// The keys of a former root secret that stay in the file (decision 0052): those of purposes that
/// no rotation changes, and those by which codes from before are recognised. They open no sealed
/// row, and no token or entry of a record is accepted because of them alone.
package struct KeptKeys: Sendable {
  private static let keyBytes = 32
  static let byteCount = KeyPurpose.lasting.count * keyBytes
  /// The identifier of the secret from which they derive.
  let identifier: KeyIdentifier
  /// The keys in the order of `KeyPurpose.lasting`.
  let bytes: SecretBytes

  /// Derives them.
  init(of key: RootKey) {
    var all: [UInt8] = []
    all.reserveCapacity(Self.byteCount)
    for purpose in KeyPurpose.lasting {
      key.key(for: purpose).withBytes { for index in $0.indices { all.append($0[index]) } }
    }
    identifier = key.identifier
    bytes = SecretBytes(consuming: &all)
  }

  /// As read from a file.
  init(of identifier: KeyIdentifier, checked bytes: SecretBytes) {
    self.identifier = identifier
    self.bytes = bytes
  }

  /// The key for one of the lasting purposes.
  func key(for purpose: KeyPurpose) -> SecretBytes {
    guard let place = KeyPurpose.lasting.firstIndex(of: purpose) else {
      preconditionFailure("A purpose whose keys are not kept.")
    }
    let start = place * Self.keyBytes
    return bytes.withBytes { SecretBytes(copying: $0.extracting(start..<start + Self.keyBytes)) }
  }
}

extension KeyPurpose {
  /// The purposes whose keys a secret leaves in the file when it is removed, in the file's order.
  static let lasting: [KeyPurpose] = [
    .emailIndex, .fiscalCodeIndex, .vatNumberIndex, .companyNameIndex, .companyNamePrefix,
    .fullName, .diseaseCode, .positionCell, .pairingCode, .invitedAddress, .emergencyContact,
    .pushEndpoint, .checkIns, .emergencies, .groupNoise, .idempotency, .tokens, .auditChain,
  ]
}
