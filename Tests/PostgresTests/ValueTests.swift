import Bytes
import Postgres
import PostgresFixture
import Requirements
import Testing
import Time

private enum Kind: String, PostgresValue { case single, company }

private enum Order: Int16, PostgresValue {
  case first = -2
  case last = 300
}

/// Sends one value of each type and returns it, together with the server's text form of it.
private struct Echo: Statement {
  struct Row: Equatable {
    let bool: Bool
    let int2: Int16
    let int4: Int32
    let int8: Int64
    let float4: Float
    let float8: Double
    let text: String
    let bytes: [UInt8]
    let uuid: UniversalID
    let time: Instant
    let date: PostgresDate
    let timeAsText: String
    let uuidAsText: String
  }
  static let sql: SQL<Self> = """
    SELECT \(\.row.bool)::bool, \(\.row.int2)::int2, \(\.row.int4)::int4, \(\.row.int8)::int8,
           \(\.row.float4)::float4, \(\.row.float8)::float8, \(\.row.text)::text,
           \(\.row.bytes)::bytea, \(\.row.uuid)::uuid, \(\.row.time)::timestamptz,
           \(\.row.date)::date,
           (\(\.row.time)::timestamptz AT TIME ZONE 'UTC')::text, \(\.row.uuid)::text
    """
  static let columns = Columns(Row.init)
  let row: Row
}

private struct EchoArrays: Statement {
  struct Row: Equatable {
    let int8: [Int64]
    let holes: [Int64?]
    let texts: [String]
    let kinds: [Kind]
    let bytes: [[UInt8]]
    let missing: [Int32]?
    let nothing: String?
    let dates: [PostgresDate]
    let orders: [Order]
    let versions: [RowVersion]
  }
  static let sql: SQL<Self> = """
    SELECT \(\.row.int8)::int8[], \(\.row.holes)::int8[], \(\.row.texts)::text[],
           \(\.row.kinds)::text[], \(\.row.bytes)::bytea[], \(\.row.missing)::int4[],
           \(\.row.nothing)::text, \(\.row.dates)::date[], \(\.row.orders)::int2[],
           \(\.row.versions)::xid[]
    """
  static let columns = Columns(Row.init)
  let row: Row
}

private struct Literal<Value: PostgresValue>: Statement {
  typealias Row = Value
  static var sql: SQL<Self> { "SELECT NULL::int8" }
}

private func row(
  _ int: Int64, _ double: Double, _ text: String, _ time: Int64, _ day: Int32, asText: String,
  uuid: UniversalID, uuidAsText: String
) -> Echo.Row {
  Echo.Row(
    bool: int > 0, int2: Int16(clamping: int), int4: Int32(clamping: int), int8: int,
    float4: Float(double), float8: double, text: text, bytes: Array(text.utf8), uuid: uuid,
    time: Instant(microsecondsSince1970: time), date: PostgresDate(daysSince1970: day),
    timeAsText: asText, uuidAsText: uuidAsText)
}

@Suite("values") struct ValueTests {
  @Test("every type is returned as it was sent, also at its limits")
  func scalars() async throws {
    let rows = [
      row(
        .max, .greatestFiniteMagnitude, "Zürich 🏃\n", 1_700_000_000_123_456, 19_675,
        asText: "2023-11-14 22:13:20.123456", uuid: UniversalID(high: .max, low: 1),
        uuidAsText: "ffffffff-ffff-ffff-0000-000000000001"),
      row(
        .min, -.leastNonzeroMagnitude, "", -1, -1, asText: "1969-12-31 23:59:59.999999",
        uuid: UniversalID(high: 0, low: 0), uuidAsText: "00000000-0000-0000-0000-000000000000"),
      row(
        0, .infinity, "x", .max, .max, asText: "infinity", uuid: UniversalID(high: 1, low: 2),
        uuidAsText: "00000000-0000-0001-0000-000000000002"),
      row(
        -1, -0.0, "'; DROP TABLE x; --", .min, .min, asText: "-infinity",
        uuid: UniversalID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210),
        uuidAsText: "01234567-89ab-cdef-fedc-ba9876543210"),
    ]
    try await TestDatabase.with(.empty) { test in
      try await test.onLoop { database in
        for row in rows {
          let got = try await database.readOne(Echo(row: row))
          #expect(got == row)
        }
      }
    }
  }

  @Test("arrays are returned as they were sent: empty, with NULL inside, NULL themselves")
  func arrays() async throws {
    let rows = [
      EchoArrays.Row(
        int8: [.min, -1, 0, 1, .max], holes: [nil, 1, nil], texts: ["", "a,b", "\"{}\""],
        kinds: [.company, .single], bytes: [[], [0], [255, 0, 1]], missing: [1], nothing: "x",
        dates: [PostgresDate(daysSince1970: 0)], orders: [.last, .first],
        versions: [RowVersion(transaction: .max), RowVersion(transaction: 3)]),
      EchoArrays.Row(
        int8: [], holes: [], texts: [], kinds: [], bytes: [], missing: nil, nothing: nil,
        dates: [], orders: [], versions: []),
    ]
    try await TestDatabase.with(.empty) { test in
      try await test.onLoop { database in
        for row in rows {
          let got = try await database.readOne(EchoArrays(row: row))
          #expect(got == row)
        }
      }
    }
  }

  @Test("NULL for a non-optional property of the row is an unexpected result")
  func unexpectedNull() async throws {
    try await TestDatabase.with(.empty) { test in
      try await test.onLoop { database in
        await #expect(
          throws: PostgresError.unexpectedResult("a value is NULL instead of int8")
        ) {
          try await database.readOne(Literal<Int64>())
        }
        let null = try await database.readOne(Literal<Int64?>())
        #expect(null == .some(nil))
      }
    }
  }

  @Test("a column whose type differs from the declared one is an unexpected result")
  func otherType() async throws {
    try await TestDatabase.with(.empty) { test in
      try await test.onLoop { database in
        await #expect(throws: PostgresError.self) { try await database.read(Literal<String?>()) }
      }
    }
  }

  @Test("invalid bytes are rejected and not read beyond their end")
  func malformed() {
    let short: [UInt8] = [0, 0, 0]
    #expect(throws: PostgresError.self) { try Int32.decode(short.span) }
    #expect(throws: PostgresError.self) { try UniversalID.decode(short.span) }
    #expect(throws: PostgresError.self) { try [Int32].decode(short.span) }
    // One dimension that claims two thousand million elements.
    let boastful: [UInt8] = [
      0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 127, 255, 255, 255, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1,
    ]
    #expect(throws: PostgresError.self) { try [Int32].decode(boastful.span) }
    let elementTooLong: [UInt8] = [
      0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 1,
    ]
    #expect(throws: PostgresError.self) { try [Int32].decode(elementTooLong.span) }
    let notText: [UInt8] = [0xff]
    #expect(throws: PostgresError.self) { try String.decode(notText.span) }
    #expect(UniversalID(bytes: short.span) == nil)
  }
}
