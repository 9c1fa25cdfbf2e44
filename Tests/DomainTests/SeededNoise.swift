import Bytes
import Domain

extension PersonNoise {
  /// Noise from a seed instead of a secret key: each block is mixed by SplitMix64's finaliser.
  static func seeded(_ seed: UInt64) -> PersonNoise {
    PersonNoise { blocks in
      for index in stride(from: 0, to: blocks.count, by: 2) {
        let state = SplitMix64.mixed(
          SplitMix64.mixed(blocks[index] ^ seed) ^ blocks[index + 1] &+ seed)
        blocks[index] = SplitMix64.mixed(state &+ SplitMix64.increment)
        blocks[index + 1] = SplitMix64.mixed(state &+ 0x3C6E_F372_FE94_F82A)
      }
    }
  }
}
