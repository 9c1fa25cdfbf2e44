import Domain
import JSON
import Time

/// One measurement of a person of the town.
package struct CitizenSample: Hashable, Sendable {
  /// The kind of measurement.
  package let type: DataType
  /// The value, plausible for the type.
  package let value: SampleValue
  /// When it was measured.
  package let time: Instant

  /// An upload of samples, as `POST /data/upload` takes it.
  static func upload(_ samples: [CitizenSample]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.array("dataTypes") { for sample in samples { $0.value(sample.type.name) } }
      $0.array("values") {
        for sample in samples {
          switch sample.value {
          case .number(let number): $0.value(number)
          case .position, .code: $0.value(sample.value.text(of: sample.type))
          }
        }
      }
      $0.array("timestamp") { for sample in samples { $0.value(sample.time.description) } }
    }
    return writer.bytes
  }
}

/// The measurements of a person: hourly or coarser, so that a year of a town stays small. The same
/// for the same town.
package struct CitizenSamples: Sendable {
  private let citizen: Citizen
  private let zone: TimeZoneRules
  /// The first day with hourly heart rates.
  private let hourlyFrom: Int

  /// The number of last days with a heart rate each hour; before them there is one in four hours.
  package static let hourlyDays = 30

  /// The measurements of a person of a town, in the time zone of the installation.
  package init(of citizen: Citizen, in town: Town, _ zone: TimeZoneRules) {
    self.citizen = citizen
    self.zone = zone
    hourlyFrom = town.days.upperBound - Self.hourlyDays + 1
  }

  /// The measurements of some days, except those after `now`.
  package func samples(of days: ClosedRange<Int>, until now: Instant) -> [CitizenSample] {
    var samples: [CitizenSample] = []
    for day in days {
      samples += self.samples(of: CitizenDay(of: citizen, on: CalendarDate(daysSince1970: day)))
    }
    return samples.filter { $0.time <= now }
  }

  private func samples(of day: CitizenDay) -> [CitizenSample] {
    let number = day.date.daysSince1970
    var made = MeasuredDay(midnight: zone.start(of: day.date))
    if day.wearsWatch {
      var noise = DeterministicRandom(citizen.seed, .heartRate, citizen.number, number)
      let offset = Double(citizen.number % 60) / 60
      for hour in stride(from: 0, to: 24, by: number >= hourlyFrom ? 1 : 4) {
        let time = Double(hour) + offset
        made.add(.heartRate, day.heartRate(at: time) + noise.around(3.5), at: time)
      }
      made.add(.sleepHours, day.sleepHours, per: 10, at: day.wakesAt)
    }
    made.add(.steps, day.steps, at: 21.5)
    if let energy = day.sportEnergy, let sport = day.sport {
      made.add(.activeEnergy, energy, at: min(sport.hours.upperBound, 23.5))
    }
    addMorning(day, to: &made)
    return made.samples
  }

  /// The scale, the cuff and the thermometer. Weight once a week; blood pressure once a week for
  /// retired people and from 140 mmHg on, once in four weeks otherwise; temperature while ill.
  private func addMorning(_ day: CitizenDay, to made: inout MeasuredDay) {
    let number = day.date.daysSince1970
    var noise = DeterministicRandom(citizen.seed, .measurement, citizen.number, number)
    let hour = day.wakesAt + 0.25
    if (number + citizen.number) % 7 == 0 {
      made.add(.weight, day.weight + noise.around(0.3), per: 10, at: hour)
    }
    let isWatched = citizen.body.systolic >= 140 || citizen.occupation == .retired
    if (number + citizen.number) % (isWatched ? 7 : 28) == 3 {
      let systolic = citizen.body.systolic + noise.around(6)
      made.add(.bloodPressureSystolic, systolic, at: hour)
      let diastolic = citizen.body.diastolic + noise.around(4)
      made.add(.bloodPressureDiastolic, min(diastolic, systolic - 15), at: hour)
    }
    if day.fever > 0 {
      for hour in [hour, 20] {
        let measured = day.temperature(at: hour) + noise.around(0.1)
        made.add(.bodyTemperature, measured, per: 10, at: hour)
      }
    }
  }

  /// The last known position of the person: the home, for groups by area and for the check-in.
  static func position(of citizen: Citizen, at time: Instant) -> CitizenSample {
    CitizenSample(type: .position, value: .position(citizen.home), time: time)
  }
}

/// The measurements of one day.
private struct MeasuredDay {
  let midnight: Instant
  private(set) var samples: [CitizenSample] = []

  init(midnight: Instant) { self.midnight = midnight }

  /// Adds a value, rounded to a whole number of parts per unit and clamped to the plausible range.
  mutating func add(_ type: DataType, _ value: Double, per parts: Double = 1, at hour: Double) {
    let rounded = (value * parts).rounded() / parts
    let range = type.plausibleRange ?? rounded...rounded
    let value = min(max(rounded, range.lowerBound), range.upperBound)
    let time = midnight.adding(seconds: Int64(hour * 3600))
    samples.append(CitizenSample(type: type, value: .number(value), time: time))
  }
}
