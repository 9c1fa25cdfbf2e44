import Postgres

/// The statements of health data, for the check against the schema.
package enum HealthDataStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    LockSampleAccounts.self, DayHeads.self, ChunksToMerge.self,
    FragmentedChunks.self, StoreBlocks.self, ReplaceChunks.self,
    DropOldestChunks.self, FreeRoom.self, ChunksOfNumbers.self, ChunksOfPeriod.self,
    ChunksOfPage.self, RoomUsed.self, AvailableTypes.self, LastSequence.self,
    ChunksOfSelections.self,
    ChosenTypes.self, ChooseTypes.self, NoteLateChanges.self, MarkAllMonths.self,
    EraseChunks.self, RewriteChunks.self, LastChunksBeforeHead.self, MarkErasedMonths.self,
    ForgetLastCell.self, PauseCollection.self, ClaimRoomNotice.self,
  ]
}
