import Domain
import EventLoop
import Operations
import Postgres
import Privacy

/// `trackme generate people`: people with day values of three data types, as the workers of groups
/// would have counted them, to try group requests with. They have no samples, and nobody can log in
/// as one of them.
enum GeneratedPeople {
  static let usage = "usage: trackme generate people --count N [--months N]"

  /// People of one call at most, and months back from this one.
  static let countMax = 10_000_000
  static let monthsMax = 12
  /// The account numbers of generated people count up from here.
  static let firstNumber: Int64 = 1_000_000_000
  /// People of one statement; their months of a type are half a megabyte.
  private static let pageMax = 10_000

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(
        arguments, commandFlags: ["--count", "--months"])
      guard let order = Order(operands) else { throw StartError(usage) }
      let databases = try Databases(installation)
      let data = try databases.url(.data4help, .trackme)
      let owner = try databases.migrationURL(.trackme)
      do throws(AdminSessionError) {
        try make(order, data: data.revealed, owner: owner.revealed)
      } catch {
        throw StartError(error.description)
      }
    }
  }

  /// What the arguments ask for.
  struct Order: Equatable {
    var count = 0
    var months = 2

    /// nil for arguments that are not understood.
    init?(_ operands: [String]) {
      var rest = operands[...]
      while let name = rest.popFirst() {
        guard let value = rest.popFirst().flatMap({ Int($0) }) else { return nil }
        switch name {
        case "--count": count = value
        case "--months": months = value
        default: return nil
        }
      }
      guard (1...countMax).contains(count), (1...monthsMax).contains(months) else { return nil }
    }
  }

  private static func make(
    _ order: Order, data: String, owner: String
  ) throws(AdminSessionError) {
    let began = World.system.monotonicNow()
    let session = try AdminSession(url: data, applicationName: "trackme generate")
    let rows = try session.rows(
      """
      SELECT coalesce(max(account_id) + 1, $1::bigint)
        FROM data4help.accounts
       WHERE account_id BETWEEN $1::bigint AND $1::bigint + 999999999
      """, ["\(firstNumber)"])
    let first = rows.first?.first.flatMap { $0 }.flatMap { Int64($0) } ?? firstNumber
    let values = GeneratedValues(until: World.system.now(), months: order.months)
    for type in GeneratedValues.types {
      let months = values.months.map { "\($0)" }.joined(separator: ",")
      _ = try session.rows(
        """
        SELECT data4help.make_month_partitions(
                 array_fill($1::smallint, ARRAY[cardinality($2::int[])]), $2::int[])
        """, ["\(type.rawValue)", "{\(months)}"])
    }
    var made = 0
    while made < order.count {
      let page = min(pageMax, order.count - made)
      try insert(first + Int64(made), page, values, session)
      made += page
      let seconds = (World.system.monotonicNow() - began).components.seconds
      Terminal.say("\(made) of \(order.count) people, \(seconds) s")
    }
    // So that the search index is read alone, without a look at the rows.
    let keeper = try AdminSession(url: owner, applicationName: "trackme generate")
    try keeper.run("VACUUM (ANALYZE) data4help.accounts, data4help.month_values")
  }

  private static func insert(
    _ first: Int64, _ count: Int, _ values: GeneratedValues, _ session: AdminSession
  ) throws(AdminSessionError) {
    let bounds = ["\(first)", "\(first + Int64(count) - 1)"]
    try session.run("BEGIN")
    _ = try session.rows(
      """
      INSERT INTO data4help.accounts
             (account_id, kind, state, password_hash, registered_at, activated_at, sealed_email,
              sealed_identity, sealed_profile, birth_date, sex, residence_place, birth_place,
              nationality, occupation)
      SELECT number, 1, 2, '', now() - INTERVAL '400 days', now() - INTERVAL '400 days', '', '', '',
             DATE '1940-01-01' + (number * 7919 % 24000)::integer,
             CASE number % 2 WHEN 0 THEN 'F' ELSE 'M' END,
             (ARRAY['F205', 'H501', 'F839', 'L219', 'C351'])[number % 5 + 1],
             (ARRAY['F205', 'H501', 'F839', 'L219', 'C351', 'Z110', 'Z129'])[number % 7 + 1],
             CASE WHEN number % 7 < 5 THEN 'IT' WHEN number % 7 = 5 THEN 'FR' ELSE 'RO' END,
             (ARRAY['student', 'employed', 'employed', 'retired'])[number % 4 + 1]
        FROM generate_series($1::bigint, $2::bigint) AS number
      """, bounds)
    for type in GeneratedValues.types {
      for month in values.months {
        let packed = values.packed(type, month, of: first, count)
        _ = try session.rows(
          """
          INSERT INTO data4help.month_values (account_id, type, month, member, vals)
          SELECT account_id, $3::smallint, $4::integer, member,
                 substring($5::bytea FROM ((account_id - $1::bigint) * 62 + 1)::integer FOR 62)
            FROM data4help.accounts
           WHERE account_id BETWEEN $1::bigint AND $2::bigint
          """, bounds + ["\(type.rawValue)", "\(month)", "\\x\(packed)"])
      }
    }
    try session.run("COMMIT")
  }
}

/// Day values that somebody might have: of each person about a level of its own, the same for the
/// same account number.
struct GeneratedValues {
  /// The types with their usual level, how far people differ, and how far days do.
  private static let levels: [(type: DataType, level: Double, people: Double, days: Double)] = [
    (.heartRate, 70, 25, 8), (.steps, 7_000, 5_000, 2_500), (.weight, 72, 30, 0.5),
  ]
  static var types: [DataType] { levels.map(\.type) }

  /// Months since January 1970, the newest first.
  let months: [Int32]
  private let lastDay: Int32

  /// Up to yesterday.
  init(until now: WallTime, months count: Int) {
    lastDay = Int32(now.microsecondsSince1970 / 86_400_000_000) - 1
    let newest = MonthDays(day: lastDay).number
    months = (0..<Int32(count)).map { newest - $0 }
  }

  /// The months of people whose numbers count up, 62 bytes each, in hexadecimal digits.
  func packed(_ type: DataType, _ month: Int32, of first: Int64, _ count: Int) -> String {
    guard let coding = DayValueCode(type),
      let level = Self.levels.first(where: { $0.type == type })
    else { return "" }
    let days = MonthDays(number: month).days
    let last = Int(min(days.upperBound, lastDay) - days.lowerBound)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * DayValueCode.monthBytes)
    for number in first..<first + Int64(count) {
      var person = SeededChance(seed: UInt64(number) << 8 | UInt64(type.rawValue))
      let usual = level.level + level.people * (2 * person.fraction() - 1)
      var chance = SeededChance(seed: UInt64(number) << 20 | UInt64(month) << 8)
      var codes = MonthCodes()
      for day in 0...max(last, 0) where day <= last && chance.fraction() < 0.95 {
        codes[day] = coding.code(of: usual + level.days * (2 * chance.fraction() - 1))
      }
      bytes += codes.bytes
    }
    return Hexadecimal.encode(bytes.span)
  }
}
