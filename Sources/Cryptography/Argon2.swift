import CArgon2

/// The cost of one password hash (RFC 9106): memory, passes, lanes.
package struct PasswordHashCost: Hashable, Sendable {
  /// Memory in KiB, 8 for each lane to 1 GiB.
  package let memoryKiB: UInt32
  /// Passes over the memory, 1 to 64.
  package let passes: UInt32
  /// Lanes that could run in parallel (they run one after the other here), 1 to 16.
  package let lanes: UInt32

  /// OWASP's second recommendation for Argon2id: 19 MiB, two passes, one lane.
  package static let standard = PasswordHashCost(
    uncheckedMemoryKiB: 19_456, passes: 2, lanes: 1)

  private init(uncheckedMemoryKiB memoryKiB: UInt32, passes: UInt32, lanes: UInt32) {
    self.memoryKiB = memoryKiB
    self.passes = passes
    self.lanes = lanes
  }

  /// Creates a cost; nil if it is outside the limits.
  package init?(memoryKiB: UInt32, passes: UInt32, lanes: UInt32) {
    guard (1...16).contains(lanes), (1...64).contains(passes),
      (8 * lanes...1_048_576).contains(memoryKiB)
    else { return nil }
    self.init(uncheckedMemoryKiB: memoryKiB, passes: passes, lanes: lanes)
  }
}

/// Argon2id version 1.3 (RFC 9106), by libargon2, which overwrites its memory afterwards.
package enum Argon2id {
  /// The only supported version, 1.3.
  package static let version: UInt32 = 0x13

  /// Derives `count` bytes (at least 4) from a password and a salt of at least 8 bytes.
  ///
  /// Blocks for tens of milliseconds. Throws `passwordHashingFailed` if memory is exhausted.
  package static func derive(
    from password: SecretBytes, salt: Span<UInt8>, cost: PasswordHashCost, count: Int
  ) throws(CryptographyError) -> [UInt8] {
    var status = ARGON2_OK.rawValue
    let tag = password.withBytes { secret in
      [UInt8](capacity: count) { output in
        // SAFETY: reads the two spans, and writes `count` bytes into a buffer of that size.
        unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
          status = unsafe secret.withUnsafeBufferPointer { secret in
            unsafe salt.withUnsafeBufferPointer { salt in
              unsafe argon2id_hash_raw(
                cost.passes, cost.memoryKiB, cost.lanes, secret.baseAddress, secret.count,
                salt.baseAddress, salt.count, buffer.baseAddress, count)
            }
          }
          initialized = status == ARGON2_OK.rawValue ? count : 0
        }
      }
    }
    guard status == ARGON2_OK.rawValue else { throw .passwordHashingFailed }
    return tag
  }
}
