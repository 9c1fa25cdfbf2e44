import Time

/// The recently used tiles, at most `bytesMax` bytes of them.
///
/// Two generations replace an order: when the young one is full it becomes the old one, and the
/// tiles of the previous old generation that were not read since are dropped.
struct TileCache {
  /// What is known of a tile.
  struct Entry {
    /// Nil if the server has no such tile.
    let tile: MapTile?
    /// Until then it is served without another request.
    let keptUntil: MonotonicInstant

    /// The bytes that it counts; those of an entry without a picture are an estimate.
    var cost: Int { (tile?.bytes.count ?? 0) + 256 }
  }

  private let generationMax: Int
  private var young: [TileAddress: Entry] = [:]
  private var youngBytes = 0
  private var old: [TileAddress: Entry] = [:]
  private var oldBytes = 0

  /// An empty cache.
  init(bytesMax: Int) { generationMax = bytesMax / 2 }

  /// The bytes that all entries count.
  var bytes: Int { youngBytes + oldBytes }

  /// What is known of a tile; reading it keeps it.
  mutating func entry(of address: TileAddress) -> Entry? {
    if let entry = young[address] { return entry }
    guard let entry = old[address] else { return nil }
    keep(entry, of: address)
    return entry
  }

  /// Keeps an entry in place of the previous one of this tile.
  mutating func keep(_ entry: Entry, of address: TileAddress) {
    oldBytes -= old.removeValue(forKey: address)?.cost ?? 0
    youngBytes -= young.removeValue(forKey: address)?.cost ?? 0
    if youngBytes + entry.cost > generationMax {
      (old, oldBytes) = (young, youngBytes)
      (young, youngBytes) = ([:], 0)
    }
    young[address] = entry
    youngBytes += entry.cost
  }
}
