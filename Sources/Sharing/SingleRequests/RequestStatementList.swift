import Postgres

/// The statements of single requests, for the check against the schema.
package enum RequestStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    RequestByID.self, HoldIdentifier.self, HoldAsking.self, PendingBetween.self,
    InsertRequest.self, LockRequestOfSingleUser.self,
    LockRequestOfThirdParty.self, ChangeRequest.self, AvailableData.self, ExpireRequests.self,
    EnterLog.self, MarkSubscribed.self, RelayAccounts.self, RelayMissed.self, EndSubscriptions.self,
    RemindOfEnds.self, HoldRequestForDelivery.self, WaitForEnds.self, HoldDeliveries.self,
    LogEntries.self, EnterEvents.self,
    SealedDeletionPage.self, StoreResealedDeletions.self,
    EnterAccountEvents.self, SequenceHeads.self, EventsAfter.self, HoldRequestsForDelivery.self,
    NoticeHeads.self, RequestsToPeople.self, RunsOfCheckIns.self, GroupRequestByID.self,
    LockGroupRequest.self, GroupRequestsOfThirdParty.self,
    HideFromUnpaid.self, HoldAccountState.self, EnterShownSamples.self,
    RequestsOfSingleUser.self, RequestCountsOfSingleUser.self, RequestsOfThirdParty.self,
  ]
}

/// The statements of the record of accesses, for the check against the schema.
package enum AccessStatements {
  /// Those of the data.
  package static let all: [any Statement.Type] = [
    LockAccessHeads.self, InsertAccesses.self, MoveAccessHeads.self, NewestAccesses.self,
    AccessesInOrder.self, AccessesAfter.self, AccessHeads.self, AccountsWithAccesses.self,
    AccountsToCheckpoint.self,
    StoreCheckpointed.self, NewestAccess.self, AccessesOfDays.self,
  ]
  /// Those of the keys' database.
  package static let ofKeys: [any Statement.Type] = [
    AuditCheckpoints.self, CheckpointedAccounts.self, AdvanceCheckpoints.self, StoreAnchors.self,
  ]
}
