import Accounts
import Cryptography
import Domain
import Postgres
import ServiceKit
import Time

/// Stores samples of one account in a transaction, whatever the account already has: the path of
/// late, repeated and large uploads, of the first upload of a day, and of imports.
///
/// Everything is set-based: the number of statements does not depend on the number of samples.
struct AccountAppending {
  let account: AccountID
  let sealingKey: SealingKey
  let now: Instant
  let bytesMax: Int64
  let rules: LateChangeRules

  /// Locks the account, stores new samples and counts the others.
  ///
  /// - Throws: `notFound` if the account was deleted, `internalError` for stored samples that can't
  ///   be read, and errors of the database.
  func append(
    _ samples: [DaySamples], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> AppendOutcome {
    guard !samples.isEmpty else { return AppendOutcome() }
    let heads = DayHeads(
      accounts: samples.map { _ in account }, types: samples.map(\.type),
      days: samples.map(\.day), fullBytes: .max)
    let (_, states, headRows) = try await transaction.run(
      EnsureSampleAccount(account: account), LockSampleAccounts(accounts: [account]), heads)
    // The account was deleted in the meantime.
    guard let state = states.first else { throw .notFound }

    var outcome = AppendOutcome()
    outcome.isSubscribed = state.isSubscribed
    let groups = state.admit(samples, at: now, &outcome)
    let known = KnownHeads(headRows, of: samples)
    var plan = AppendPlan(state, sealingKey)
    let left = try planInOrder(groups, known, &plan)
    let (chunks, fragmented) = try await read(left, known, begun: groups, in: transaction)
    try planWithChunks(left, known, chunks, &plan, &outcome)
    try pack(fragmented, except: samples, &plan)
    outcome.stored = plan.storedCount
    outcome.dropped = try await write(plan, bytesUsed: state.bytesUsed, in: transaction)
    return outcome
  }

  /// Plans the days whose new samples come after the stored ones; returns the other days.
  private func planInOrder(
    _ groups: [DaySamples], _ known: KnownHeads, _ plan: inout AppendPlan
  ) throws(ApplicationError) -> [DaySamples] {
    var left: [DaySamples] = []
    for group in groups {
      let isPlanned = try mapStorageError { () throws(SampleStoreError) in
        try plan.addInOrder(group, known[group])
      }
      if !isPlanned { left.append(group) }
    }
    return left
  }

  /// Reads the chunks of days that can't be planned from their heads, and the loose chunks of the
  /// days before those that begin.
  private func read(
    _ left: [DaySamples], _ known: KnownHeads, begun groups: [DaySamples],
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> ([ChunksToMerge.Row], [FragmentedChunks.Row]) {
    let begun = groups.filter { known[$0] == nil }
    let packs = !begun.isEmpty && begun.count <= Self.packedGroupsMax
    if left.isEmpty, !packs { return ([], []) }
    let fragmented = packs ? begun : []
    return try await transaction.run(
      ChunksToMerge(
        account: account, types: left.map(\.type), days: left.map(\.day),
        firstTimes: left.map(\.firstTime.millisecondsSince1970),
        lastTimes: left.map(\.lastTime.millisecondsSince1970),
        heads: left.map { known[$0]?.part ?? 0 }),
      FragmentedChunks(account: account, types: fragmented.map(\.type), days: fragmented.map(\.day))
    )
  }

  /// Plans days that may already have stored samples.
  private func planWithChunks(
    _ groups: [DaySamples], _ known: KnownHeads, _ chunks: [ChunksToMerge.Row],
    _ plan: inout AppendPlan, _ outcome: inout AppendOutcome
  ) throws(ApplicationError) {
    var rows: [Int: [ChunksToMerge.Row]] = [:]
    for row in chunks { rows[row.input.index, default: []].append(row) }
    for (place, group) in groups.enumerated() {
      let head = known[group]
      var headData: [UInt8] = []
      var group = group
      let count = group.samples.count
      let day = ChunkKey(account: account, type: group.type, day: group.day, part: 0)
      try mapStorageError { () throws(SampleStoreError) in
        var stored: [StoredSample] = []
        for row in rows[place] ?? [] {
          if row.part == head?.part { headData = row.data }
          stored += try SealedBlocks.samples(
            in: row.data, of: day.part(row.part), with: sealingKey)
        }
        group.remove(stored: stored)
        try plan.add(group, head, headData: headData)
      }
      outcome.duplicates += count - group.samples.count
    }
  }

  private func pack(
    _ fragmented: [FragmentedChunks.Row], except groups: [DaySamples], _ plan: inout AppendPlan
  ) throws(ApplicationError) {
    let touched = Set(groups.map(\.key))
    for row in fragmented where !touched.contains(DayKey(type: row.type, day: row.day)) {
      try mapStorageError { () throws(SampleStoreError) in
        try plan.pack(
          ChunkKey(account: account, type: row.type, day: row.day, part: row.part), row.data)
      }
    }
  }

  /// Writes the rows, then frees room if the account is over its limit; returns the number of
  /// samples dropped.
  private func write(
    _ plan: AppendPlan, bytesUsed: Int64, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int {
    guard !plan.isEmpty else { return 0 }
    var store = StoreBlocks()
    store.append(plan)
    var changes = NoteLateChanges()
    changes.append(plan, rules, firstOpenDay: rules.firstOpenDay(at: now))
    let advanced: [StoreBlocks.Row]
    if !plan.replaced.accounts.isEmpty {
      let replace = ReplaceChunks(rows: plan.replaced)
      (_, advanced, _) = try await transaction.run(replace, store, changes)
    } else if changes.isEmpty {
      (advanced) = try await transaction.run(store)
    } else {
      (advanced, _) = try await transaction.run(store, changes)
    }
    guard !advanced.isEmpty else { throw .internalError(SampleStoreError.notLocked) }
    let excess = bytesUsed + plan.bytes - bytesMax
    return excess > 0 ? try await makeRoom(excess, in: transaction) : 0
  }

  /// Drops the oldest chunks until `bytes` are free; returns the number of samples dropped.
  private func makeRoom(
    _ bytes: Int64, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int {
    var (samples, freed): (Int64, Int64) = (0, 0)
    while freed < bytes {
      let row = try await transaction.runOne(
        DropOldestChunks(
          account: account, bytes: bytes - freed, firstOpenDay: rules.firstOpenDay(at: now)))
      guard let row, row.bytes > 0 else { break }
      samples += row.samples
      freed += row.bytes
    }
    if freed > 0 { try await transaction.run(FreeRoom(account: account, bytes: freed)) }
    return Int(samples)
  }

  /// The maximum number of groups for which the days before are packed as well: an import skips it.
  private static let packedGroupsMax = 64
}
