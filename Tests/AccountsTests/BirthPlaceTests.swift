import Data4HelpFixture
import Domain
import HTTP
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Testing

@Suite("Birth places and reference data")
struct BirthPlaceTests {
  /// A registration with a fiscal code of this birth and place, whose name letters are fixed.
  private func registration(_ day: String, _ middle: String, _ place: String) -> [String: String] {
    Sent.mario.with("birthdate", day).with("fc", Self.code(middle)).with("birth_place", place)
  }

  private static func code(_ middle: String) -> String? {
    (65..<91).map { "RSSMRA\(middle)\(Character(Unicode.Scalar(UInt8($0))))" }
      .first { (try? FiscalCode($0)) != nil }
  }

  @Test(
    "a birth place that matches the fiscal code is accepted", .tags(.R2),
    arguments: [
      ("1980-01-01", "80A01H501", "roma"), ("1980-01-01", "80A01H501", "058091"),
      // Suppressed: Pola was Italian until 1947, Quero Vas a municipality until 2024.
      ("1935-05-02", "35E02G778", "Pola"), ("2000-05-02", "00E02L878", "Vighizzolo d'Este"),
      // By the name before or after a renaming.
      ("1920-05-02", "20E02A089", "Girgenti"), ("1990-05-02", "90E02A089", "Agrigento"),
      // Abroad: by the Italian name, by ISO code, and for a country that no longer exists.
      ("1990-05-02", "90E02Z129", "Romania"), ("1990-05-02", "90E02Z129", "RO"),
      ("1980-05-02", "80E02Z105", "Cecoslovacchia"),
    ])
  func accepted(day: String, middle: String, place: String) async throws {
    try await AuthenticationStage.with { stage in
      let reply = try await stage.registerPerson(registration(day, middle, place))
      #expect(reply.status == 200, "\(place): \(reply.problem?.detail ?? "")")
    }
  }

  @Test(
    "a birth place that differs, or did not exist at that time, is refused", .tags(.R2),
    arguments: [
      ("1980-01-01", "80A01H501", "Milano"), ("1990-05-02", "90E02Z129", "Francia"),
      ("1960-05-02", "60E02G778", "Pola"), ("2025-05-02", "25E02L878", "Vighizzolo d'Este"),
    ])
  func refused(day: String, middle: String, place: String) async throws {
    try await AuthenticationStage.with { stage in
      var person = registration(day, middle, place)
      person["parent_email"] = "parent@example.org"
      let reply = try await stage.registerPerson(person)
      #expect(reply.status == 400)
      #expect(reply["field"] == "birth_place", "\(reply.problem?.detail ?? "")")
    }
  }

  /// A registration whose birth place or another field is a country with a place.
  private func abroad(
    _ day: String, _ middle: String, _ name: String, _ country: String, _ place: String
  ) -> String {
    var person: [String: Any] = registration(day, middle, "").with("birth_place", nil)
    person[name] = ["country": country, "place": place]
    return Sent.json(person)
  }

  @Test(
    "a birth abroad has a country that matches the fiscal code, and a place", .tags(.R2, .ACC_3))
  func birthAbroad() async throws {
    try await AuthenticationStage.with { stage in
      let person = abroad("1990-05-02", "90E02Z129", "birth_place", "ro", "Cluj-Napoca")
      let reply = try await stage.call(.registerSingleUser, person)
      #expect(reply.status == 200, "\(reply.problem?.detail ?? "")")
      let stored = try stage.data.cell("SELECT birth_place FROM data4help.accounts")
      #expect(stored == "Z129")
    }
  }

  @Test(
    "a birth abroad that does not match the fiscal code is refused", .tags(.R2, .ACC_3),
    arguments: [
      // Another country, Italy, and a country without its own code.
      ("1990-05-02", "90E02Z129", "FR", "birth_place.country"),
      ("1980-01-01", "80A01H501", "RO", "birth_place.country"),
      ("1990-05-02", "90E02Z129", "GL", "birth_place.country"),
      ("1990-05-02", "90E02Z129", "XX", "birth_place.country"),
      ("1990-05-02", "90E02Z129", "IT", "birth_place"),
    ])
  func birthElsewhere(
    day: String, middle: String, country: String, field: String
  ) async throws {
    try await AuthenticationStage.with { stage in
      let person = abroad(day, middle, "birth_place", country, "Roma")
      let reply = try await stage.call(.registerSingleUser, person)
      #expect(reply.status == 400)
      #expect(reply["field"] == field, "\(reply.problem?.detail ?? "")")
    }
  }

  @Test("a birth in Italy may be written with its country", .tags(.R2, .ACC_3))
  func birthInItaly() async throws {
    try await AuthenticationStage.with { stage in
      let person = abroad("1980-01-01", "80A01H501", "birth_place", "IT", "Roma")
      #expect(try await stage.call(.registerSingleUser, person).status == 200)
      let stored = try stage.data.cell("SELECT birth_place FROM data4help.accounts")
      #expect(stored == "H501")
    }
  }

  @Test("the reference data holds all of Italy, suppressed municipalities too", .tags(.ACC_3))
  func counts() async throws {
    try await TestDatabase.with { test in
      let municipalities = try test.cell(
        """
        SELECT count(*) FILTER (WHERE valid_to IS NULL) || ' '
               || count(*) FILTER (WHERE istat_code IS NOT NULL) || ' '
               || count(DISTINCT cadastral_code) || ' ' || count(*)
          FROM reference.municipalities
        """)
      #expect(municipalities == "7894 7887 9864 15141", "\(municipalities ?? "")")
      let rest = try test.cell(
        """
        SELECT (SELECT count(*) FROM reference.regions) || ' '
               || (SELECT count(*) FROM reference.provinces) || ' '
               || (SELECT count(*) FROM reference.countries)
        """)
      #expect(rest == "20 116 222")
    }
  }

  @Test("search names follow the same rule in the database and in the domain", .tags(.ACC_3))
  func searchNames() async throws {
    try await TestDatabase.with { test in
      let rows = try test.session().rows(
        """
        SELECT name, search_name FROM reference.municipalities
        UNION SELECT other_name, other_search_name FROM reference.municipalities
               WHERE other_name IS NOT NULL
        UNION SELECT name, search_name FROM reference.countries
        """)
      #expect(rows.count > 10_000)
      for row in rows {
        let name = try #require(row[0])
        #expect(PlaceName.searchText(of: name) == row[1], "\(name)")
      }
    }
  }

  @Test("no validity ends before it begins, and points lie in Italy", .tags(.ACC_3))
  func plausible() async throws {
    try await TestDatabase.with { test in
      let wrong = try test.cell(
        """
        SELECT count(*) FROM reference.municipalities
         WHERE valid_to < valid_from
            OR (latitude IS NOT NULL AND NOT (latitude BETWEEN 35 AND 47.2
                                              AND longitude BETWEEN 6.6 AND 18.6))
            OR cadastral_code !~ '^[A-Z][0-9]{3}$' OR istat_code !~ '^[0-9]{6}$'
        """)
      #expect(wrong == "0")
    }
  }
}
