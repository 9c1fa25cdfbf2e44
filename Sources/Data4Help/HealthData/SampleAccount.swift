import Domain
import EventLoop

/// What is known of an account while it is locked.
struct SampleAccount: Sendable {
  let account: AccountID
  let nextSequence: Int64
  let bytesUsed: Int64
  let disabled: DataTypeSet
  let stored: DataTypeSet
  let pausedUntil: WallTime?
  /// Whether somebody may subscribe to it.
  let isFollowed: Bool
  let assigned: AssignedTypes

  init(
    account: AccountID, nextSequence: Int64, bytesUsed: Int64, disabledTypes: Int64,
    storedTypes: Int64, pausedUntil: WallTime?, isFollowed: Bool, assigned: AssignedTypes
  ) {
    self.account = account
    self.nextSequence = nextSequence
    self.bytesUsed = bytesUsed
    disabled = DataTypeSet(stored: disabledTypes)
    stored = DataTypeSet(stored: storedTypes)
    self.pausedUntil = pausedUntil
    self.isFollowed = isFollowed
    self.assigned = assigned
  }

  /// Whether collection is paused at this time (DAT-8).
  func isPaused(at now: WallTime) -> Bool { pausedUntil.map { now < $0 } ?? false }

  /// Takes out what the user does not want stored, and counts it.
  func admit(
    _ groups: [DaySamples], at now: WallTime, _ outcome: inout AppendOutcome
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

/// The part of a day with the greatest number, in which the day's last sample lies.
struct DayHead: Sendable {
  let part: Int32
  let blocks: Int16
  let lastTime: Timestamp
  let bytes: Int

  /// Whether packing its blocks into one would save much: blocks of one or a few samples, which
  /// consist of nonce, tag and head for the most part.
  var isWorthPacking: Bool { blocks > 1 && bytes / Int(blocks) < SealedBlocks.looseBlockBytes }
}

extension SealedBlocks {
  /// Bytes of a block on average under which packing a chunk saves more than a third.
  static let looseBlockBytes = 150
}

/// Where new samples of a day go.
enum Placement: Equatable {
  /// In front of the blocks of the head.
  case append
  /// Into parts of their own behind the head.
  case newParts
  /// The head is coded anew together with them.
  case rebuild

  /// The place for coded samples of which the first has this time.
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

extension DataTypeSet {
  /// The set as a column holds it.
  init(stored: Int64) { self.init(bits: UInt32(truncatingIfNeeded: stored)) }

  /// The set as a column holds it.
  var storedBits: Int64 { Int64(bits) }
}
