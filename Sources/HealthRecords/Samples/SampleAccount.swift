import Accounts
import Domain
import Postgres
import Time

/// The stored state of an account.
package struct SampleAccount: Sendable {
  let account: AccountID
  private(set) var nextSequence: Int64
  private(set) var bytesUsed: Int64
  let disabled: DataTypeSet
  private(set) var stored: DataTypeSet
  let pausedUntil: Instant?
  /// Whether it may have subscribers.
  let isSubscribed: Bool
  let assigned: AssignedTypes
  /// The version of its row.
  private(set) var version: RowVersion

  init(
    account: AccountID, nextSequence: Int64, bytesUsed: Int64, disabledTypes: Int64,
    storedTypes: Int64, pausedUntil: Instant?, isSubscribed: Bool, assigned: AssignedTypes,
    version: RowVersion
  ) {
    self.account = account
    self.nextSequence = nextSequence
    self.bytesUsed = bytesUsed
    disabled = DataTypeSet(stored: disabledTypes)
    stored = DataTypeSet(stored: storedTypes)
    self.pausedUntil = pausedUntil
    self.isSubscribed = isSubscribed
    self.assigned = assigned
    self.version = version
  }

  /// Carries out a plan, which gave the row this version.
  mutating func advance(by plan: AppendPlan, to version: RowVersion) {
    nextSequence = plan.nextSequence
    bytesUsed += plan.bytes
    stored = stored.union(plan.types)
    self.version = version
  }

  /// Whether collection is paused at this time (DAT-8).
  func isPaused(at now: Instant) -> Bool { pausedUntil.map { now < $0 } ?? false }

  /// Removes samples that the person does not want stored, and counts them.
  func admit(
    _ groups: [DaySamples], at now: Instant, _ outcome: inout AppendOutcome
  ) -> [DaySamples] {
    var admitted: [DaySamples] = []
    for group in groups {
      if disabled.contains(group.type) || !assigned.admits(group.type, from: group.device) {
        outcome.disabled += group.submitted
      } else if isPaused(at: now) {
        outcome.paused += group.submitted
      } else {
        outcome.duplicates += group.submitted - group.samples.count
        admitted.append(group)
      }
    }
    return admitted
  }
}

/// The part of a day with the greatest number, which contains the day's last sample.
struct DayHead: Sendable {
  let part: Int32
  let blocks: Int16
  let lastTime: Instant
  let bytes: Int
  /// The sealed blocks, if they were read and have more than `SealedBlocks.fullChunkBytes`.
  let data: [UInt8]?

  /// Whether a block of so many samples should fit in front of its blocks, by estimate.
  func hasRoom(for count: Int) -> Bool {
    bytes + SealedBlocks.estimatedBytes(of: count) <= SealedBlocks.chunkBytesMax
  }

  /// Whether packing its blocks into one saves much room: blocks of one or a few samples consist
  /// mostly of nonce, tag and header.
  var isWorthPacking: Bool { blocks > 1 && bytes / Int(blocks) < SealedBlocks.fragmentBlockBytes }
}

extension SealedBlocks {
  /// The mean bytes of a block below which packing a chunk saves more than a third.
  static let fragmentBlockBytes = 150

  /// About the bytes of a block of so many samples: header and statistics, and some 12 bytes for
  /// each sample. If it is too low, an upload is stored individually.
  static func estimatedBytes(of count: Int) -> Int { overheadBytes + 24 + 12 * count }

  /// The bytes above which a small block may no longer fit into a chunk. Heads with more are read
  /// with their data, for an upload that has to pack them.
  static let fullChunkBytes = chunkBytesMax - fragmentBlockBytes
}

/// Where the new samples of a day are stored.
enum Placement: Equatable {
  /// Before the blocks of the head.
  case append
  /// In separate parts after the head.
  case newParts
  /// In the head, which is encoded again.
  case rebuild

  /// The placement of encoded blocks.
  init(of pieces: [BlockPiece], _ head: DayHead?) {
    guard let head else {
      self = .newParts
      return
    }
    let bytes = pieces[0].coded.count + SealedBlocks.overheadBytes
    if pieces.count == 1, head.bytes + bytes <= SealedBlocks.chunkBytesMax {
      self = .append
    } else if pieces[0].firstTime <= head.lastTime || pieces.count == 1 && head.isWorthPacking {
      self = .rebuild
    } else {
      self = .newParts
    }
  }
}
