import Domain
import Requirements
import Testing

@Suite("Warnings of runs")
struct RunWarningTests {
  private func advises(
    _ type: DataType, _ mean: Double, born: String = "1980-06-01"
  ) throws -> Bool {
    RecentHealth.advisesDoctor(
      [type: mean], born: try CalendarDate(born),
      on: try CalendarDate("2026-06-01"))
  }

  @Test("usual values suggest nothing, values above them a doctor", .tags(.RUN_14))
  func above() throws {
    let nothing = try RecentHealth.advisesDoctor(
      [:], born: CalendarDate("1980-06-01"), on: CalendarDate("2026-06-01"))
    #expect(!nothing)
    #expect(try !advises(.bloodPressureSystolic, 139.4))
    #expect(try advises(.bloodPressureSystolic, 139.5))
    #expect(try !advises(.bloodPressureDiastolic, 89))
    #expect(try advises(.bloodPressureDiastolic, 90))
    #expect(try advises(.heartRate, 91))
    #expect(try !advises(.bodyTemperature, 38.04))
    #expect(try advises(.bodyTemperature, 38.1))
  }

  @Test(
    "low oxygen saturation suggests a doctor, the slow pulse of training does not", .tags(.RUN_14))
  func below() throws {
    #expect(try advises(.oxygenSaturation, 95))
    #expect(try !advises(.oxygenSaturation, 96))
    #expect(try !advises(.heartRate, 40))
    #expect(try !advises(.respiratoryRate, 9))
  }

  @Test(
    "a child's pulse is judged by age, and types without a range are ignored", .tags(.RUN_14)
  )
  func ages() throws {
    #expect(try !advises(.heartRate, 104, born: "2010-06-01"))
    #expect(try advises(.heartRate, 105, born: "2010-06-01"))
    #expect(try !advises(.bloodPressureSystolic, 200, born: "2010-06-01"))
    #expect(try !advises(.steps, 1_000_000))
  }
}
