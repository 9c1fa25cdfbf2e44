import Domain
import Foundation
import GroupStatistics
import Postgres
import PostgresFixture
import PublicAPI
import ServiceKit
import Testing

/// Entire populations, inserted directly into the tables from which groups are counted.
extension SingleRequestStage {
  /// Inserts people with the numbers of a range, all with the same value on every day of November
  /// 2026.
  package func addPeople(
    _ numbers: Range<Int>, _ type: DataType = .heartRate, _ value: Double = 70,
    born: String = "1980-01-01", sex: String = "F", activated: String = "2026-01-01",
    state: Int = 2, days: Int = 30
  ) async throws {
    try run(
      """
      INSERT INTO data4help.accounts (account_id, kind, state, password_hash, registered_at,
             activated_at, sealed_email, sealed_identity, sealed_profile, birth_date, sex)
      SELECT 1000000 + n, 1, \(state), '', now(), '\(activated)', '', '', '', '\(born)', '\(sex)'
        FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound - 1)) AS n
          ON CONFLICT DO NOTHING;
      """)
    try await setDays(0..<days, of: numbers, type, value)
  }

  /// Sets the value on some days of November 2026, counted from 0, for people with these numbers.
  package func setDays(
    _ days: Range<Int>, of numbers: Range<Int>, _ type: DataType, _ value: Double
  ) async throws {
    let coding = try #require(DayValueCode(type))
    let first = Int32(try CalendarDate("2026-11-01").daysSince1970)
    let rows = try installation.data.session().rows(
      """
      SELECT member FROM data4help.accounts
       WHERE account_id >= 1000000 + $1::int8 AND account_id < 1000000 + $2::int8
      """, ["\(numbers.lowerBound)", "\(numbers.upperBound)"])
    let members = rows.compactMap { $0.first.flatMap { $0 }.flatMap { Int32($0) } }
    let noise = installation.personNoise
    try await here {
      try await self.parts.database.transaction(within: .seconds(300)) {
        (transaction) throws(ApplicationError) in
        var changes = DayColumnChanges()
        for day in days {
          let day = first + Int32(day)
          for member in members {
            let code = coding.code(of: value, with: noise.ofDay(day, type, member: member))
            changes.set(type, day, of: member, to: code)
          }
        }
        try await changes.write(in: transaction)
      }
    }
  }

  /// Sends a group request.
  package func askGroup(
    _ search: String = "\"age>=18\"", _ types: String = "\"heartRate\"", _ rest: String = "",
    subscribing: String = "\"subscribing\":false", by company: AccountID = Known.clinic
  ) async throws -> Reply {
    try await call(
      .sendGroup,
      "{\"searchParams\":[\(search)],\"dataTypes\":[\(types)],\(subscribing)\(rest)}",
      by: company, .thirdParty)
  }

  /// The status of a group request.
  package func groupStatus(
    _ search: String = "\"age>=18\"", _ types: String = "\"heartRate\""
  ) async throws -> String {
    let reply = try await askGroup(search, types)
    #expect(reply.status == 200)
    return "\(reply["status"] ?? "?") \(reply["reason"] ?? "")"
  }

  /// The answer to a group request, without the request's identifier.
  package func groupData(
    _ search: String = "\"age>=18\"", _ types: String = "\"heartRate\"", _ rest: String = "",
    by company: AccountID = Known.clinic
  ) async throws -> String {
    let requestID = try #require(
      try await askGroup(search, types, rest, by: company)["reqID"])
    let reply = try await data(requestID, by: company)
    #expect(reply.status == 200, "\(reply.text)")
    return reply.text.replacingOccurrences(of: requestID, with: "")
  }

  /// The answer to a group request, parsed.
  package func groupObject(
    _ search: String = "\"age>=18\"", _ types: String = "\"heartRate\"", _ rest: String = ""
  ) async throws -> [String: Any] {
    let text = try await groupData(search, types, rest)
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(value as? [String: Any])
  }
}
