import Cryptography
import Domain
import HTTP
import JSON
import Operations
import Postgres
import PublicAPI
import ServiceKit
import Web

/// Lookups for forms while people type: places, diseases, data types, companies (ACC-3, REQ-3).
package struct LookupRoutes: Sendable {
  private let database: Database
  private let log: Log
  private let directory: AccountDirectory
  private let companyNames: CompanyNameIndex

  /// Routes over these accounts and the reference data.
  package init(database: Database, root: RootSecret, log: Log, directory: AccountDirectory) {
    self.database = database
    self.log = log
    self.directory = directory
    companyNames = CompanyNameIndex(root: root)
  }

  /// The rows of the route table.
  package var all: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.open(.lookUpMunicipalities, municipalities),
      routes.open(.lookUpProvinces, provinces),
      routes.open(.lookUpRegions, regions),
      routes.open(.lookUpCountries, countries),
      routes.open(.lookUpDiseases) { _ throws(ApplicationError) in Self.diseases },
      routes.open(.lookUpDataTypes) { _ throws(ApplicationError) in Self.dataTypes },
      routes.identified(.lookUpCompanies, companies),
    ]
  }

  private func municipalities(_ request: Request) async throws(ApplicationError) -> Response {
    let wanted: PlaceName = try checked("query") { () throws(NameError) in
      try PlaceName(request.query["query"] ?? "")
    }
    var found: [MunicipalitiesByPrefix.Row] = []
    // A query of punctuation has an empty search text, which is a prefix of every name.
    if !wanted.searchText.isEmpty {
      found = try await database.rows(
        MunicipalitiesByPrefix(
          prefix: wanted.searchText, inProvince: wanted.province, limit: Self.limit(request)))
    }
    return Response.list("municipalities", found) { (place, writer) in
      writer.field("name", place.name)
      writer.fieldIfPresent("otherName", place.otherName)
      writer.fieldIfPresent("istat", place.istatCode)
      writer.field("province", place.province)
      writer.field("provinceName", place.provinceName)
      writer.field("region", place.region)
    }.keptByClients()
  }

  private func provinces(_ request: Request) async throws(ApplicationError) -> Response {
    let rows = try await database.rows(ProvincesOfToday())
    return Response.list("provinces", rows) { (row, writer) in
      writer.field("province", row.province)
      writer.field("name", row.name)
      writer.field("region", row.region)
    }.keptByClients()
  }

  private func regions(_ request: Request) async throws(ApplicationError) -> Response {
    let rows = try await database.rows(RegionsByCode())
    return Response.list("regions", rows) { (row, writer) in
      writer.field("code", Int64(row.region))
      writer.field("name", row.name)
    }.keptByClients()
  }

  private func countries(_ request: Request) async throws(ApplicationError) -> Response {
    let rows = try await database.rows(CountryNames())
    return Response.list("countries", rows) { (row, writer) in
      writer.field("code", row.code)
      writer.names(row.name)
    }.keptByClients()
  }

  private static let diseases = Response.list("diseases", ChronicDisease.allCases) {
    (disease, writer) in
    writer.field("code", disease.rawValue)
    writer.names(disease.name)
    writer.field("icd10", disease.categories)
  }.keptByClients()

  private static let dataTypes = Response.list("dataTypes", DataType.allCases) {
    (type, writer) in
    writer.field("dataType", type.name)
    writer.names(type.localizedName)
    writer.field("unit", type.unit)
    switch type.valueKind {
    case .number(let range):
      writer.field("kind", "number")
      writer.field("min", range.lowerBound)
      writer.field("max", range.upperBound)
    case .position: writer.field("kind", "position")
    case .code(let words):
      writer.field("kind", "code")
      writer.field("values", words)
    }
    writer.field("addsUp", type.isCumulative)
    writer.field("loinc", type.loincCodes)
  }.keptByClients()

  /// The companies whose name has a word that begins with the query. The hash covers only the first
  /// letters of a long query, so each name is compared again.
  private func companies(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let wanted = CompanyName.searchText(of: request.query["query"] ?? "")
    guard let prefix = companyNames.value(of: wanted) else {
      return Self.list(of: [])
    }
    let accounts = try await database.rows(
      CompaniesByPrefix(prefix: prefix, limit: Self.limit(request)))
    let found = try await directory.thirdParties(Set(accounts))
    let matching = accounts.compactMap { account in
      found[account].flatMap { has($0, account, nameBeginning: wanted) ? $0 : nil }
    }
    return Self.list(of: matching)
  }

  /// Whether a word of a company's name begins with the text. False for an unreadable name, which
  /// is logged.
  private func has(
    _ company: ThirdParty, _ account: AccountID, nameBeginning wanted: String
  ) -> Bool {
    do throws(NameError) {
      return try CompanyName(stored: company.companyName).searchTexts
        .contains { $0.hasPrefix(wanted) }
    } catch {
      let cause = ApplicationError(.internalError, cause: error.description)
      log.failure(
        "read company name failed", cause, .number("account_id", account.rawValue))
      return false
    }
  }

  private static func list(of companies: [ThirdParty]) -> Response {
    Response.list("companies", companies) { (company, writer) in
      writer.field("piva", company.vatNumber)
      writer.field("company_name", company.companyName)
      writer.field("company_description", company.companyDescription)
    }.notStored()
  }

  private static func limit(_ request: Request) -> Int {
    request.query["limit"].flatMap { Int($0) } ?? QueryParameter.lookupLimit
  }
}

extension Response {
  /// An object with one array of objects.
  fileprivate static func list<Element>(
    _ name: String, _ elements: [Element], _ write: (Element, inout JSONWriter) -> Void
  ) -> Response {
    .json { writer in
      writer.array(name) { writer in
        for element in elements { writer.object { write(element, &$0) } }
      }
    }
  }

  /// Allows clients and caches to keep the response for a day: reference data changes only with a
  /// new version of the program.
  fileprivate func keptByClients() -> Response {
    var response = self
    response.fields.append(.cacheControl, "public, max-age=86400")
    return response
  }
}

extension JSONWriter {
  fileprivate mutating func names(_ name: LocalizedName) {
    object("names") {
      $0.field("it", name.italian)
      $0.field("en", name.english)
    }
  }
}
