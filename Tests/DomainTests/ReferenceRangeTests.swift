import Domain
import Requirements
import Testing

@Suite("Reference ranges")
struct ReferenceRangeTests {
  @Test(
    "the range of heart rates depends on the age, on both sides of a limit", .tags(.DAT_4),
    arguments: [
      ("2026-11-18", 107.0, 181.0), ("2026-08-19", 107, 181), ("2026-08-18", 104, 175),
      ("2024-11-19", 82, 149), ("2024-11-18", 76, 142), ("2011-11-19", 47, 108),
      ("2011-11-18", 43, 104), ("2008-11-19", 43, 104), ("2008-11-18", 51, 90),
      ("1930-01-01", 51, 90),
    ])
  func ages(born: String, from: Double, to: Double) throws {
    let range = try #require(
      ReferenceRange.of(
        .heartRate, born: CalendarDate(born), on: CalendarDate("2026-11-18")))
    #expect(range.from == from && range.to == to)
  }

  @Test("a value is rounded to the source's resolution, then compared", .tags(.DAT_4))
  func marks() throws {
    let (born, day) = (try CalendarDate("1980-01-01"), try CalendarDate("2026-11-18"))
    let rate = try #require(ReferenceRange.of(.heartRate, born: born, on: day))
    #expect([50.4, 50.5, 90.4, 90.5].map(rate.mark) == [.below, .within, .within, .above])
    let warmth = try #require(ReferenceRange.of(.bodyTemperature, born: born, on: day))
    #expect([36.0, 36.1, 38.0, 38.1].map(warmth.mark) == [.below, .within, .within, .above])
    let pressure = try #require(ReferenceRange.of(.bloodPressureSystolic, born: born, on: day))
    #expect([41, 139, 140].map(pressure.mark) == [.within, .within, .above])
    #expect(ReferenceRange.of(.steps, born: born, on: day) == nil)
    #expect(ReferenceRange.of(.bodyTemperature, born: day, on: day) == nil)
  }
}
