import Accounts
import Domain
import EventLoop
import HealthRecords
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// Compares a person's values with those of people of the same age and with reference values
/// (DAT-4).
package struct ComparisonRoutes: Sendable {
  let environment: Environment
  let database: Database
  let accountKeys: AccountKeys
  let zone: TimeZoneRules
  private let groups: GroupRequests

  /// Routes over these groups, on the same loop.
  package init(
    environment: Environment, database: Database, accountKeys: AccountKeys, zone: TimeZoneRules,
    groups: GroupRequests
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.zone = zone
    self.groups = groups
  }

  /// The rows of the route table.
  package var all: [Route] { [EndpointRoutes().identified(.compare, compare)] }

  @Sendable private func compare(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let type = request.query["type"].flatMap({ DataType(name: $0) }), type.isNumeric else {
      throw .invalid("Name a data type whose values are numbers.", field: "type")
    }
    let born = BirthDateOfPerson(account: caller.account)
    // The account was deleted after the gateway accepted the call.
    guard let stored = try await database.row(born) else { throw .unauthenticated() }
    guard let birth = stored else {
      throw .internalError(because: "A person is stored without a birth date.")
    }
    let today = zone.day(of: environment.now())
    let band = AgeBand.index(ofAge: Ages.years(born: birth, on: today))
    let last = try await groups.lastClosedDay()
    let days = last - GroupRequestTerms.standardDays + 1...last
    let period = (
      from: zone.start(of: CalendarDate(daysSince1970: Int(days.lowerBound))),
      to: zone.start(of: CalendarDate(daysSince1970: Int(last) + 1))
    )
    let own = try await values(
      type, of: caller.account, SamplePeriod(from: period.from, to: period.to))
    let missing = own.isEmpty ? try await missingReason(type, of: caller.account, in: period) : nil
    let others = try await AgeBandAverages(database: database, groups: groups)
      .average(of: type, band, over: days, for: caller.account)
    let range = ReferenceRange.of(type, born: birth, on: today)
    return .json {
      $0.field("type", type.name)
      $0.field("unit", type.unit)
      $0.field("from", period.from.description)
      $0.field("to", period.to.description)
      $0.field("ageBand", AgeBand.all[band].description)
      Self.write(own, range, to: &$0)
      $0.fieldIfPresent("ownMissing", missing?.rawValue)
      if let others {
        $0.object("others") {
          $0.field("people", others.average.people)
          $0.field("mean", others.average.mean)
          $0.field("releasedAt", others.releasedAt.description)
        }
      } else {
        $0.null("others")
        $0.field("reason", "too few people")
      }
      Self.write(range, to: &$0)
    }
  }

  /// The values of single days, computed as for groups: the mean, or the sum of types that add up.
  func values(
    _ type: DataType, of account: AccountID, _ period: SamplePeriod
  ) async throws(ApplicationError) -> [(day: CalendarDate, value: Double)] {
    let reader = SeriesReader(
      account: account, type: type, database: database,
      sealingKey: try await accountKeys.key(of: account), zone: zone)
    return try await reader.points(.day, period).map {
      (zone.day(of: $0.start), type.isCumulative ? $0.moments.sum : $0.moments.mean)
    }
  }

  private static func write(
    _ own: [(day: CalendarDate, value: Double)], _ range: ReferenceRange?,
    to writer: inout JSONWriter
  ) {
    guard !own.isEmpty else { return writer.null("own") }
    let mean = own.reduce(0) { $0 + $1.value } / Double(own.count)
    writer.object("own") {
      $0.field("mean", mean)
      $0.field("mark", range?.mark(mean).rawValue)
      $0.array("days") { writer in
        for one in own {
          writer.object {
            $0.field("date", one.day.description)
            $0.field("value", one.value)
            $0.field("mark", range?.mark(one.value).rawValue)
          }
        }
      }
    }
  }

  private static func write(_ range: ReferenceRange?, to writer: inout JSONWriter) {
    guard let range else { return writer.null("reference") }
    writer.object("reference") {
      $0.field("from", range.from)
      $0.field("to", range.to)
      $0.field("source", range.source)
    }
  }
}
