import Postgres

/// The statements of groups, for the check against the schema.
package enum GroupStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    SliceToClose.self, SliceToRecount.self, MoveSlice.self, LastClosedDay.self,
    LastMember.self, ChunksOfDay.self, ChunksOfMonths.self, ClaimMarks.self, MarksToCount.self,
    StoredColumns.self, StoreColumns.self, ForgetDayValues.self, LockSliceOfAccount.self,
    PrepareToCount.self, PlanToCount.self, AnyValueOfDays.self,
    ProvincesByCode.self, PlacesOfProvinces.self, PlacesOfRegions.self,
    PlacesOfCountry.self, MatchingPeople.self, PartsOfPeople.self, ColumnsOfBlocks.self,
    LockReleases.self,
    EarlierStatistics.self, Cohorts.self, StatisticsOfCohort.self,
    WholeOfStatistics.self, PeopleOfCohort.self, NumbersOfCohort.self, DaysOfCohort.self,
    KeepDays.self,
    PartsOfCohort.self, KeepParts.self, KeepStatistics.self, EnterRelease.self,
    StatisticsOfRelease.self,
    NewestRelease.self,
    InsertGroupRequest.self, EndGroupRequest.self, ClaimSubscription.self, MoveSubscription.self,
  ]
}
