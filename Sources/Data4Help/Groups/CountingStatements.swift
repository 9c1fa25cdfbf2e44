import Domain
import EventLoop
import Postgres
import Privacy
import Services

/// Long scans gain nothing from compiled code, and plans that know the partition are better.
struct PrepareToCount: Statement {
  static let sql: SQL<Self> = "SET LOCAL jit = off"
}

/// See `PrepareToCount`.
struct PlanForPartition: Statement {
  static let sql: SQL<Self> = "SET LOCAL plan_cache_mode = force_custom_plan"
}

/// Whether anybody at all has a value of these types in some days of a month (GRP-2). Stops at the
/// first one.
struct AnyValueOfMonth: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT EXISTS (
      SELECT FROM data4help.month_values
       WHERE type = ANY (\(\.types))
         AND month = \(\.month)
         AND substring(vals FROM \(\.firstByte) FOR \(\.byteCount)) <> \(\.zeros))
    """
  let types: [DataType]
  let month: Int32
  let firstByte: Int32
  let byteCount: Int32
  var zeros: [UInt8] { Array(repeating: 0, count: Int(byteCount)) }
}

/// The people who count (GRP-3) and match what is known of their accounts, as one value: of each
/// the member number in four bytes and the part of the breakdown in two. Reads the search index,
/// all of it, whoever matches.
struct MatchingPeople: Statement {
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
       AND state = 2
       AND activated_at <= \(\.activatedBy)
       AND birth_date BETWEEN \(\.bornFrom) AND \(\.bornTo)
       AND sex = ANY (\(\.sexes))
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
  let breakdown: Int16
  let bandStarts: [CalendarDate]
  let activatedBy: WallTime
  let bornFrom: CalendarDate
  let bornTo: CalendarDate
  let sexes: [String]
  let places: SearchedPlaces
  let regions: RegionsOfPlaces
  let nationalities: [String]
  let occupations: [String]
  let diseases: [BlindValue]
  let hasArea: Bool
  let cells: [BlindValue]
  var hasResidence: Bool { places.residence != nil }
  var residence: [String] { Array(places.residence ?? []) }
  var hasBirthPlace: Bool { places.birth != nil }
  var birthPlaces: [String] { Array(places.birth ?? []) }
  var bandCount: Int32 { Int32(AgeBand.all.count) }
  var positionBit: Int64 { DataTypeSet([.position]).storedBits }
}

/// The blocks of a partition; NULL where there is none.
struct BlocksOfMonth: Statement {
  typealias Row = Int64?
  static let sql: SQL<Self> = """
    SELECT pg_relation_size(
             to_regclass('data4help.month_values_' || (\(\.type)::int2)::text || '_'
                         || (\(\.month)::int4)::text))
           / current_setting('block_size')::int8
    """
  let type: DataType
  let month: Int32
}

/// The values of a set of people in some blocks of a month, as one value: of each the member number
/// in four bytes and the codes of the days asked for.
///
/// Blocks and not keys: the scan runs through the partition once, and no result is larger than a
/// stretch of it. The set is the parameter; a person is found by one bit of it.
struct ValuesOfBlocks: Statement {
  typealias Row = [UInt8]
  static let sql: SQL<Self> = """
    SELECT coalesce(
             string_agg(
               int4send(member) || substring(vals FROM \(\.firstByte) FOR \(\.byteCount)),
               ''::bytea),
             ''::bytea)
      FROM data4help.month_values
     WHERE type = \(\.type)
       AND month = \(\.month)
       AND ctid >= ('(' || (\(\.firstBlock)::int8)::text || ',0)')::tid
       AND ctid < ('(' || (\(\.endBlock)::int8)::text || ',0)')::tid
       AND CASE WHEN member < \(\.capacity)
                THEN get_bit(\(\.people), member::int8) = 1
                ELSE false END
    """
  let type: DataType
  let month: Int32
  let firstByte: Int32
  let byteCount: Int32
  let firstBlock: Int64
  let endBlock: Int64
  let capacity: Int32
  let people: [UInt8]
}
