import Bytes
import Domain
import EventLoop
import Installation
import Operations
import Postgres
import ServiceKit
import Time

/// `trackme-lab generate people`: creates people with daily values of three data types for trying
/// group requests, in the form that the group workers write. They have no samples and no login.
enum GeneratedPeople {
  static let usage = """
    usage: trackme-lab generate people --count N [--months N]
      --count   1 to \(countMax)
      --months  with values, back from this one, 1 to \(monthsMax) (2)
    """

  /// The most people of one call, and the most months back from the current one.
  static let countMax = 10_000_000
  static let monthsMax = 12
  /// The first account number of generated people.
  static let firstNumber: Int64 = 1_000_000_000
  /// People per transaction; one day of a type is then a megabyte.
  private static let pageMax = 10_000

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(
        arguments, commandFlags: ["--count", "--months"])
      guard let order = Order(operands) else { throw StartError(usage) }
      let zone = try installation.settings.timeZone()
      let urls = try DatabaseURLs(installation)
      let data = try urls.url(.data4help, .trackme)
      let owner = try urls.migrationURL(.trackme)
      do throws(AdminSessionError) {
        try make(order, in: zone, data: data.revealed, owner: owner.revealed)
      } catch {
        throw StartError(databaseUnavailable: error)
      }
    }
  }

  /// The parsed arguments.
  struct Order: Equatable {
    var count = 0
    var months = 2

    /// Returns nil for invalid arguments.
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
    _ order: Order, in zone: TimeZoneRules, data: String, owner: String
  ) throws(AdminSessionError) {
    let began = Environment.system.monotonicNow()
    let session = try AdminSession(url: data, applicationName: "trackme-lab generate")
    let rows = try session.rows(
      """
      SELECT coalesce(max(account_id) + 1, $1::bigint)
        FROM data4help.accounts
       WHERE account_id BETWEEN $1::bigint AND $1::bigint + 999999999
      """, ["\(firstNumber)"])
    let first = rows.first?.first.flatMap { $0 }.flatMap { Int64($0) } ?? firstNumber
    let values = GeneratedValues(
      until: Environment.system.now(), in: zone, months: order.months)
    var made = 0
    while made < order.count {
      let page = min(pageMax, order.count - made)
      try insert(first + Int64(made), page, values, session)
      made += page
      let seconds = (Environment.system.monotonicNow() - began).components.seconds
      Terminal.say("\(made) of \(order.count) people, \(seconds) s")
    }
    // Lets queries use index-only scans on the search index.
    let keeper = try AdminSession(url: owner, applicationName: "trackme-lab generate")
    try keeper.run("VACUUM (ANALYZE) data4help.accounts, data4help.day_columns")
  }

  private static func insert(
    _ first: Int64, _ count: Int, _ values: GeneratedValues, _ session: AdminSession
  ) throws(AdminSessionError) {
    let bounds = ["\(first)", "\(first + Int64(count) - 1)"]
    try session.run("BEGIN")
    let made = try session.rows(
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
      RETURNING account_id, member
      """, bounds)
    let people = made.compactMap { row in
      if row.count == 2, let number = row[0].flatMap({ Int64($0) }),
        let member = row[1].flatMap({ Int32($0) })
      {
        (number, ColumnPosition(member: member))
      } else {
        nil
      }
    }
    for type in GeneratedValues.types {
      for month in values.months {
        try store(values.columns(type, month, of: people), session)
      }
    }
    try session.run("COMMIT")
  }

  /// Stores columns and keeps the values of other people in the same blocks.
  private static func store(
    _ columns: [GeneratedValues.Column], _ session: AdminSession
  ) throws(AdminSessionError) {
    func list(_ values: [String]) -> String { "{\(values.joined(separator: ","))}" }
    let places = [
      list(columns.map { "\($0.type.rawValue)" }), list(columns.map { "\($0.day)" }),
      list(columns.map { "\($0.block)" }),
    ]
    // An existing block already has the stored codes where the new ones are zero. It has a position
    // for every person, so adding the numbers merges the two.
    let stored = try session.rows(
      """
      SELECT asked.place, encode(vals, 'hex')
        FROM unnest($1::smallint[], $2::integer[], $3::integer[])
               WITH ORDINALITY AS asked (type, day, block, place)
        JOIN data4help.day_columns AS stored
          ON stored.type = asked.type AND stored.day = asked.day AND stored.block = asked.block
         FOR UPDATE OF stored
      """, places)
    var columns = columns
    for row in stored where row.count == 2 {
      guard let place = row[0].flatMap({ Int($0) }), columns.indices.contains(place - 1),
        let bytes = row[1].flatMap({ Hexadecimal.decode($0.utf8Span.span) }),
        let before = DayColumn(bytes: bytes)
      else { continue }
      columns[place - 1].values.addMissing(from: before)
    }
    let values = columns.map { "\"\\\\x\(Hexadecimal.encode($0.values.bytes.span))\"" }
    _ = try session.rows(
      """
      INSERT INTO data4help.day_columns (type, day, block, vals)
      SELECT type, day, block, vals
        FROM unnest($1::smallint[], $2::integer[], $3::integer[], $4::bytea[])
               AS made (type, day, block, vals)
          ON CONFLICT (type, day, block) DO UPDATE SET vals = excluded.vals
      """, places + [list(values)])
  }
}
