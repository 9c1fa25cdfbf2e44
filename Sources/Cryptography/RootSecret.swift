import Bytes
import Synchronization

/// The root secret of an installation as a process uses it: keys for new things derive from the
/// first secret of the file, and what was made under any of them is accepted (decision 0052).
///
/// One per process, shared by all threads, so that a changed file reaches every use. The secrets
/// are stored in a file outside every database.
package final class RootSecret: Sendable {
  private struct State {
    var ring: RootKeyRing
    /// The codes of the purposes that were asked for.
    var codes: [KeyPurpose: RootDerived<HMACKey>] = [:]
    /// Those of lasting purposes, with the keys that former secrets left.
    var lastingCodes: [KeyPurpose: RootDerived<HMACKey>] = [:]
  }

  private let state: Mutex<State>
  private let changeCount = Atomic<Int>(0)
  /// The values of the header by which processes authenticate each other.
  let internalTexts: RootDerived<SecretBytes>

  /// The secrets of a file.
  package init(_ ring: RootKeyRing) {
    state = Mutex(State(ring: ring))
    internalTexts = RootDerived(Self.internalTexts(ring))
  }

  /// A new secret.
  package static func random() -> RootSecret { RootSecret(.random()) }

  /// The secrets, the one in use first.
  package var ring: RootKeyRing { state.withLock { $0.ring } }

  /// The identifier of the secret in use.
  package var identifier: KeyIdentifier { ring.identifiers[0] }

  /// The number of changes of the secrets since the start of the process.
  var changes: Int { changeCount.load(ordering: .acquiring) }

  /// Uses the secrets of a file that was read again, from the next use on: what was made under a
  /// secret that the file no longer has is refused.
  package func use(_ ring: RootKeyRing) {
    state.withLock { state in
      state.ring = ring
      for (purpose, codes) in state.codes { codes.replace(ring.codes(purpose)) }
      for (purpose, codes) in state.lastingCodes { codes.replace(ring.lastingCodes(purpose)) }
      internalTexts.replace(Self.internalTexts(ring))
    }
    changeCount.wrappingAdd(1, ordering: .releasing)
  }

  /// The 32-byte key for one purpose, from the secret in use.
  package func key(for purpose: KeyPurpose) -> SecretBytes { ring.keys[0].key(for: purpose) }

  /// The 32-byte key for a purpose that no rotation changes, from the first secret of the
  /// installation.
  package func lastingKey(for purpose: KeyPurpose) -> SecretBytes {
    ring.lastingKey(for: purpose)
  }

  /// The keys for the codes of one purpose, which follow the file: that of the secret in use, and
  /// those of the further ones.
  func codes(for purpose: KeyPurpose) -> RootDerived<HMACKey> {
    state.withLock { state in
      if let known = state.codes[purpose] { return known }
      let new = RootDerived(state.ring.codes(purpose))
      state.codes[purpose] = new
      return new
    }
  }

  /// The same, followed by the keys that former secrets left.
  func lastingCodes(for purpose: KeyPurpose) -> RootDerived<HMACKey> {
    state.withLock { state in
      if let known = state.lastingCodes[purpose] { return known }
      let new = RootDerived(state.ring.lastingCodes(purpose))
      state.lastingCodes[purpose] = new
      return new
    }
  }

  private static func internalTexts(_ ring: RootKeyRing) -> [SecretBytes] {
    ring.keys.map { key in
      var digits: [UInt8] = []
      digits.reserveCapacity(64)
      key.key(for: .internalSecret).withBytes { Hexadecimal.append($0, to: &digits) }
      return SecretBytes(consuming: &digits)
    }
  }
}

/// A value derived from each root secret, that of the secret in use first.
///
/// Reading it takes an uncontended lock, some 20 ns, and allocates nothing.
final class RootDerived<Value: Sendable>: Sendable {
  private let values: Mutex<[Value]>

  /// At least one value.
  init(_ values: [Value]) { self.values = Mutex(values) }

  /// All values.
  var all: [Value] { values.withLock { $0 } }
  /// The value for new things.
  var current: Value { values.withLock { $0[0] } }

  func replace(_ new: [Value]) { values.withLock { $0 = new } }
}
