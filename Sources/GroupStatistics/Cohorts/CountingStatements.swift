import Accounts
import Cryptography
import Domain
import Postgres
import Time

/// Allows a transaction to wait while other threads count; it holds no locks that others need.
struct PrepareToCount: Statement {
  static let sql: SQL<Self> = "SET LOCAL idle_in_transaction_session_timeout = 0"
}

/// Plans with the actual parameters, which is better for counting than a generic plan.
struct PlanToCount: Statement {
  static let sql: SQL<Self> = "SET LOCAL plan_cache_mode = force_custom_plan"
}

/// Whether any person has a value of these types on some days (GRP-2). Stops at the first one.
struct AnyValueOfDays: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT EXISTS (
      SELECT FROM data4help.day_columns
       WHERE type = ANY (\(\.types))
         AND day BETWEEN \(\.firstDay) AND \(\.lastDay)
         AND vals <> \(\.nobody))
    """
  let types: [DataType]
  let firstDay: Int32
  let lastDay: Int32
  let nobody = DayColumn().bytes
}

/// The people of some blocks who are counted (GRP-3) and whose accounts match the search, as one
/// value: four bytes of member number for each. Reads the search index of these blocks in full,
/// however many match.
struct MatchingPeople: Statement {
  typealias Row = [UInt8]
  static let sql: SQL<Self> = """
    SELECT coalesce(string_agg(int4send(member), ''::bytea), ''::bytea)
      FROM data4help.accounts
     WHERE kind = 1
       AND member >= \(\.members.first)
       AND member < \(\.members.end)
       AND state = 2
       AND activated_at <= \(\.activatedBy)
       AND birth_date BETWEEN \(\.bornFrom) AND \(\.bornTo)
       AND (NOT \(\.hasSex) OR sex = ANY (\(\.sexes)))
       AND (NOT \(\.hasResidence) OR residence_place = ANY (\(\.residence)))
       AND (NOT \(\.hasBirthPlace) OR birth_place = ANY (\(\.birthPlaces)))
       AND (cardinality(\(\.nationalities)) = 0 OR nationality = ALL (\(\.nationalities)))
       AND (cardinality(\(\.occupations)) = 0 OR occupation = ALL (\(\.occupations)))
       AND (cardinality(\(\.diseases)) = 0
            OR account_id IN (
                 SELECT account_id
                   FROM data4help.account_diseases
                  WHERE disease = ANY (\(\.diseases))
                  GROUP BY account_id
                 HAVING count(*) = cardinality(\(\.diseases))))
       AND (NOT \(\.hasArea)
            OR account_id IN (
                 SELECT account_id
                   FROM data4help.last_cells
                   JOIN data4help.sample_accounts USING (account_id)
                  WHERE cell = ANY (\(\.cells))
                    AND stored_types & ~disabled_types & \(\.positionBit) <> 0))
    """
  private(set) var members = MemberRange(0..<0)
  let activatedBy: Instant
  let bornFrom: CalendarDate
  let bornTo: CalendarDate
  let sexes: [String]
  let places: SearchedPlaces
  let nationalities: [String]
  let occupations: [String]
  let diseases: [BlindValue]
  let hasArea: Bool
  let cells: [BlindValue]
  var hasSex: Bool { sexes.count < 2 }
  var hasResidence: Bool { places.residence != nil }
  var residence: [String] { Array(places.residence ?? []) }
  var hasBirthPlace: Bool { places.birth != nil }
  var birthPlaces: [String] { Array(places.birth ?? []) }
  var positionBit: Int64 { DataTypeSet([.position]).storedBits }

  /// The same statement for some blocks alone.
  func within(_ blocks: Range<Int32>) -> Self {
    var copy = self
    copy.members = MemberRange(blocks)
    return copy
  }
}

/// The part of a breakdown that each person of some blocks belongs to, as one value: for each, four
/// bytes of member number and two bytes of part. Reads the search index.
struct PartsOfPeople: Statement {
  typealias Row = [UInt8]
  static let sql: SQL<Self> = """
    SELECT coalesce(
             string_agg(
               int4send(member) || int2send((
                 CASE \(\.breakdown)
                   WHEN 1 THEN \(\.bandCount)::int4 - width_bucket(birth_date, \(\.bandStarts))
                   WHEN 2 THEN CASE sex WHEN 'F' THEN 1 ELSE 2 END
                   WHEN 3 THEN coalesce(region.part, 0)
                   ELSE 0
                 END)::int2),
               ''::bytea),
             ''::bytea)
      FROM data4help.accounts
      LEFT JOIN unnest(\(\.regions.places), \(\.regions.parts)) AS region (place, part)
        ON region.place = residence_place
     WHERE kind = 1
       AND member >= \(\.members.first)
       AND member < \(\.members.end)
       AND state = 2
    """
  let members: MemberRange
  let breakdown: Int16
  let bandStarts: [CalendarDate]
  let regions: RegionsOfPlaces
  var bandCount: Int32 { Int32(AgeBand.all.count) }
}

/// The member numbers of some blocks.
struct MemberRange: Sendable {
  let first: Int32
  let end: Int32

  init(_ blocks: Range<Int32>) {
    first = blocks.lowerBound * Int32(DayColumn.people)
    end = blocks.upperBound * Int32(DayColumn.people)
  }
}

/// The columns of some types, days and blocks, as one value: rows in the form of `PackedColumns`.
/// By the primary key, one look-up for each day; the matching people are selected off the loop.
struct ColumnsOfBlocks: Statement {
  typealias Row = [UInt8]
  static let sql: SQL<Self> = """
    SELECT coalesce(
             string_agg(
               int8send(
                 (type::int8 << 56) | ((day - \(\.firstDay))::int8 << 32) | block::int8) || vals,
               ''::bytea),
             ''::bytea)
      FROM data4help.day_columns
     WHERE type = ANY (\(\.types))
       AND day = ANY (\(\.days))
       AND block >= \(\.firstBlock)
       AND block < \(\.endBlock)
    """
  let types: [DataType]
  let days: [Int32]
  let firstDay: Int32
  let firstBlock: Int32
  let endBlock: Int32

  init(_ types: DataTypeSet, _ period: ClosedRange<Int32>, _ blocks: Range<Int32>) {
    self.types = Array(types)
    days = Array(period)
    firstDay = period.lowerBound
    (firstBlock, endBlock) = (blocks.lowerBound, blocks.upperBound)
  }
}
