import Domain
import Privacy

extension PersonNoise {
  /// Noise under a key of its own, derived from the root secret: a restored database, and every
  /// replica, draws the same. Under another root secret everybody gets a second draw of each kind
  /// (decision 0020).
  package init(root: RootSecret) {
    let blocks = AESBlocks(key: root.key(for: .groupNoise))
    self.init { blocks.encrypt(&$0) }
  }
}
