import Accounts
import Cryptography
import Domain
import Postgres
import Time

/// The row changes for new samples of one account, computed from its state. The account is locked,
/// or `StoreBlocks` compares the version of its row.
struct AppendPlan {
  let account: AccountID
  /// The version of the account's row on which the plan is based.
  let version: RowVersion
  private let sealingKey: SealingKey
  private(set) var nextSequence: Int64
  private let firstSequence: Int64
  private(set) var stored = ChunkColumns()
  private(set) var replaced = ChunkColumns()
  private(set) var types = DataTypeSet.none
  /// The days that get new samples, with the heads that they will have.
  private(set) var changes: [(key: DayKey, head: DayHead)] = []
  /// The newest position among the new samples.
  private(set) var lastPosition: (point: GeoPoint, time: Instant)?
  /// The bytes of the chunks that are replaced.
  private var replacedBytes: Int64 = 0

  init(_ state: SampleAccount, _ sealingKey: SealingKey) {
    account = state.account
    version = state.version
    self.sealingKey = sealingKey
    nextSequence = state.nextSequence
    firstSequence = state.nextSequence
  }

  /// The number of samples that are stored under new numbers.
  var storedCount: Int { Int(nextSequence - firstSequence) }

  /// Whether it changes nothing.
  var isEmpty: Bool { stored.accounts.isEmpty && replaced.accounts.isEmpty }

  /// The number of bytes that the account grows by.
  var bytes: Int64 { stored.bytes + replaced.bytes - replacedBytes }

  /// Plans a day whose new samples all come after its stored ones. False, and nothing planned, if
  /// stored chunks must be read first.
  mutating func addInOrder(
    _ group: DaySamples, _ head: DayHead?
  ) throws(SampleStoreError) -> Bool {
    if let head, group.firstTime <= head.lastTime { return false }
    let pieces = try BlockPiece.pieces(of: group.numbered(from: nextSequence), type: group.type)
    let placement = Placement(of: pieces, head)
    guard placement != .rebuild else { return false }
    store(pieces, of: group, placement, head)
    return true
  }

  /// Plans a day from whose samples stored duplicates were removed; `headData` is the data of its
  /// head.
  mutating func add(
    _ group: DaySamples, _ head: DayHead?, headData: [UInt8]
  ) throws(SampleStoreError) {
    guard !group.samples.isEmpty else { return }
    let pieces = try BlockPiece.pieces(of: group.numbered(from: nextSequence), type: group.type)
    let placement = Placement(of: pieces, head)
    guard placement == .rebuild, let head else { return store(pieces, of: group, placement, head) }
    let key = ChunkKey(account: account, type: group.type, day: group.day, part: head.part)
    var samples = try SealedBlocks.samples(in: headData, of: key, with: sealingKey)
    samples += group.numbered(from: nextSequence)
    let rebuilt = try Self.pack(samples, of: group.type)
    var newHead = replace(key, with: rebuilt[0], bytes: headData.count)
    for (offset, piece) in rebuilt.dropFirst().enumerated() {
      newHead = store(piece, in: key.part(head.part + 1 + Int32(offset)))
    }
    advance(group, newHead)
  }

  /// Plans to merge the many blocks of a chunk into one.
  mutating func pack(_ key: ChunkKey, _ data: [UInt8]) throws(SampleStoreError) {
    let samples = try SealedBlocks.samples(in: data, of: key, with: sealingKey)
    let pieces = try Self.pack(samples, of: key.type)
    // Many blocks take more room than one; if they ever do not, the chunk stays unchanged.
    if pieces.count == 1 { _ = replace(key, with: pieces[0], bytes: data.count) }
  }

  private static func pack(
    _ samples: [StoredSample], of type: DataType
  ) throws(SampleStoreError) -> [BlockPiece] {
    try BlockPiece.pieces(
      of: samples.sorted { ($0.time, $0.sequence) < ($1.time, $1.sequence) }, type: type)
  }

  private mutating func store(
    _ pieces: [BlockPiece], of group: DaySamples, _ placement: Placement, _ head: DayHead?
  ) {
    let first = head.map { placement == .append ? $0.part : $0.part + 1 } ?? 0
    var newHead: DayHead?
    for (offset, piece) in pieces.enumerated() {
      let part = first + Int32(offset)
      newHead = store(
        piece, in: ChunkKey(account: account, type: group.type, day: group.day, part: part))
    }
    guard let newHead else { return }
    advance(group, placement == .append ? newHead.prepended(to: head) : newHead)
  }

  /// Plans to prepend a block to a chunk; returns the head of a chunk with this block alone.
  private mutating func store(_ piece: BlockPiece, in key: ChunkKey) -> DayHead {
    let data = SealedBlocks.frame(piece.coded, for: key, with: sealingKey)
    stored.append(key, piece, data: data)
    return DayHead(key.part, piece, bytes: data.count)
  }

  private mutating func replace(
    _ key: ChunkKey, with piece: BlockPiece, bytes: Int
  ) -> DayHead {
    let data = SealedBlocks.frame(piece.coded, for: key, with: sealingKey)
    replaced.append(key, piece, data: data)
    replacedBytes += Int64(bytes)
    return DayHead(key.part, piece, bytes: data.count)
  }

  private mutating func advance(_ group: DaySamples, _ head: DayHead) {
    nextSequence += Int64(group.samples.count)
    types = types.union(DataTypeSet([group.type]))
    changes.append((group.key, head))
    if case .position(let point) = group.samples[group.samples.count - 1].value,
      lastPosition.map({ $0.time < group.lastTime }) ?? true
    {
      lastPosition = (point, group.lastTime)
    }
  }
}

extension ChunkKey {
  /// Another part of the same day.
  func part(_ part: Int32) -> ChunkKey {
    ChunkKey(account: account, type: type, day: day, part: part)
  }
}

extension DayHead {
  /// A head of one block.
  fileprivate init(_ part: Int32, _ piece: BlockPiece, bytes: Int) {
    self.init(part: part, blocks: 1, lastTime: piece.lastTime, bytes: bytes, data: nil)
  }

  /// The head of a chunk whose former blocks follow this one.
  fileprivate func prepended(to former: DayHead?) -> DayHead {
    guard let former else { return self }
    return DayHead(
      part: part, blocks: former.blocks + 1, lastTime: max(lastTime, former.lastTime),
      bytes: bytes + former.bytes, data: nil)
  }
}
