import Cryptography
import Domain

extension PersonNoise {
  /// Noise under its own key, derived from the root secret: a restored database, and every replica,
  /// draws the same noise. It is that of the installation's first root secret: another one would
  /// draw a second noise of each kind for every person (decision 0020).
  package init(root: RootSecret) {
    let blocks = AESBlocks(key: root.lastingKey(for: .groupNoise))
    self.init { blocks.encrypt(&$0) }
  }
}
