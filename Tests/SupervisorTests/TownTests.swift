import Domain
import Requirements
import Testing
import Time
import trackme_lab

@Suite("The people of the sandbox and their days")
struct TownTests {
  private static let today = CalendarDate(daysSince1970: 20_784)
  private static let noon = TimeZoneRules.utc.start(of: today).adding(seconds: 43_200)
  private let town: Town

  init() throws { town = try Town(people: 1200, days: 365, seed: 1, today: Self.today) }

  private func year(of citizen: Citizen) -> [CitizenSample] {
    CitizenSamples(of: citizen, in: town, .utc).samples(of: town.days, until: Self.noon)
  }

  private func plans(of citizen: Citizen) -> [CitizenDay] {
    town.days.map { CitizenDay(of: citizen, on: CalendarDate(daysSince1970: $0)) }
  }

  @Test("towns of one seed are equal, and another seed makes other people", .tags(.OPS_8))
  func seeds() throws {
    let (one, same) = (
      try Town(people: 30, days: 40, seed: 7, today: Self.today),
      try Town(people: 30, days: 40, seed: 7, today: Self.today)
    )
    let other = try Town(people: 30, days: 40, seed: 8, today: Self.today)
    #expect(one.citizens == same.citizens && one.days == same.days)
    #expect(one.citizens != other.citizens)
    for (left, right) in zip(one.citizens, same.citizens) {
      let samples = [(left, one), (right, same)].map { citizen, town in
        CitizenSamples(of: citizen, in: town, .utc).samples(of: town.days, until: Self.noon)
      }
      #expect(samples[0] == samples[1])
    }
    // A smaller town consists of the first people of a larger one.
    let small = try Town(people: 10, days: 40, seed: 7, today: Self.today)
    #expect(small.citizens == Array(one.citizens.prefix(10)))
  }

  @Test("all people are different, old enough, and have the fiscal code of their birth")
  func identities() {
    let citizens = town.citizens
    #expect(Set(citizens.map(\.fiscalCode)).count == 1200)
    #expect(Set(citizens.map(\.email)).count == 1200)
    for citizen in citizens {
      #expect(citizen.fiscalCode.agrees(with: citizen.birthDate, sex: citizen.sex))
      #expect(citizen.fiscalCode.birthPlace == TownPlace.lodi.rawValue)
      let age = BirthDate(stored: citizen.birthDate).age(on: Self.today)
      #expect((16...94).contains(age))
    }
  }

  @Test("more than 1000 of 1200 people live in the town itself, and a third trust the company")
  func places() {
    let citizens = town.citizens
    #expect((1020...1130).contains(citizens.count { $0.place == .lodi }))
    #expect(Set(citizens.map(\.place)) == Set(TownPlace.allCases))
    #expect(citizens.count(where: \.trustsCompany) == 400)
    #expect((60...300).contains(citizens.count(where: \.isRunner)))
    #expect(town.months.count == 13)
    #expect(town.months.map(\.count).reduce(0, +) == 365)
  }

  @Test("every measurement of a year is plausible and not in the future", .tags(.OPS_8))
  func plausible() throws {
    var types: Set<DataType> = []
    for citizen in town.citizens where citizen.number % 100 == 0 {
      let samples = year(of: citizen)
      #expect((1500...6000).contains(samples.count), "\(samples.count)")
      for sample in samples {
        types.insert(sample.type)
        let range = try #require(sample.type.plausibleRange)
        let value = try #require(sample.value.number)
        #expect(range.contains(value))
        #expect(sample.time <= Self.noon)
      }
      let rates = samples.filter { $0.type == .heartRate }.compactMap(\.value.number)
      #expect(rates.allSatisfy { (35...205).contains($0) })
      let sleep = samples.filter { $0.type == .sleepHours }.compactMap(\.value.number)
      #expect(sleep.allSatisfy { (3.5...12).contains($0) })
      let weights = samples.filter { $0.type == .weight }.compactMap(\.value.number)
      #expect((weights.max() ?? 0) - (weights.min() ?? 0) < 15)
      let pressures = samples.filter { $0.type == .bloodPressureSystolic }
      for upper in pressures {
        let lower = try #require(
          samples.first { $0.type == .bloodPressureDiastolic && $0.time == upper.time })
        #expect((upper.value.number ?? 0) > (lower.value.number ?? .infinity))
      }
    }
    #expect(
      types == [
        .heartRate, .sleepHours, .steps, .weight, .bloodPressureSystolic, .bloodPressureDiastolic,
        .bodyTemperature, .activeEnergy,
      ])
  }

  @Test("work and sport lie between waking and falling asleep, one after the other")
  func days() {
    for citizen in town.citizens where citizen.number % 40 == 0 {
      for day in plans(of: citizen) {
        #expect(day.wakesAt < day.fallsAsleepAt && day.fallsAsleepAt < 24)
        #expect(day.sleepHours < 24)
        for hours in [day.work, day.sport?.hours].compactMap(\.self) {
          #expect(hours.lowerBound > day.wakesAt && hours.upperBound < day.fallsAsleepAt)
        }
        if let work = day.work, let sport = day.sport {
          #expect(work.upperBound < sport.hours.lowerBound)
        }
      }
    }
  }

  @Test("a fever raises temperature and heart rate, and leaves neither work nor sport")
  func fever() throws {
    var (ill, all) = (0, 0)
    for citizen in town.citizens where citizen.number % 10 == 0 {
      let plans = plans(of: citizen)
      let healthy = try #require(plans.first { $0.fever == 0 })
      all += plans.count
      for day in plans where day.fever > 0 {
        ill += 1
        #expect(day.work == nil && day.sport == nil && day.fever < 3)
        let difference = day.heartRate(at: 3) - healthy.heartRate(at: 3)
        #expect(abs(difference - 8 * day.fever) < 1e-9)
        #expect(day.temperature(at: 20) > citizen.body.temperature + 0.1)
        #expect((35...40.5).contains(day.temperature(at: 20)))
      }
    }
    #expect(ill * 100 / all < 6 && ill > 0)
  }

  @Test("the heart of women beats faster, and old people have higher pressure and fewer steps")
  func groups() {
    func mean(_ value: KeyPath<CitizenBody, Double>, of some: (Citizen) -> Bool) -> Double {
      let values = town.citizens.filter(some).map { $0.body[keyPath: value] }
      return values.reduce(0, +) / Double(values.count)
    }
    func age(_ citizen: Citizen) -> Int {
      BirthDate(stored: citizen.birthDate).age(on: Self.today)
    }
    let (women, men) = (
      mean(\.restingRate) { $0.sex == .female }, mean(\.restingRate) { $0.sex == .male }
    )
    #expect(women > men + 1 && (58...76).contains(men))
    #expect(mean(\.systolic) { age($0) > 60 } > mean(\.systolic) { age($0) < 40 } + 10)
    #expect(mean(\.dailySteps) { age($0) > 75 } < mean(\.dailySteps) { age($0) < 50 } - 1000)
  }
}
