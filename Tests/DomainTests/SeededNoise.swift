import Domain

extension PersonNoise {
  /// Noise from a seed instead of a secret key: each block is mixed by SplitMix64's finaliser.
  static func seeded(_ seed: UInt64) -> PersonNoise {
    PersonNoise { blocks in
      for index in stride(from: 0, to: blocks.count, by: 2) {
        let state = mixed(mixed(blocks[index] ^ seed) ^ blocks[index + 1] &+ seed)
        blocks[index] = mixed(state &+ 0x9E37_79B9_7F4A_7C15)
        blocks[index + 1] = mixed(state &+ 0x3C6E_F372_FE94_F82A)
      }
    }
  }
}

private func mixed(_ word: UInt64) -> UInt64 {
  var word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
  word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
  return word ^ word >> 31
}
