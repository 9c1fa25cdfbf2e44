import AutomatedSOS
import Domain
import HealthRecords
import Time

/// The samples that AutomatedSOS judges: readings in the order of their times, each with its
/// samples, and the newest position.
struct JudgedReadings {
  /// Older samples are left out: they can neither raise nor end an emergency, and the upload of a
  /// whole day must not delay other work. More than the ten minutes of silence.
  static let oldestMilliseconds: Int64 = 660_000

  /// A reading and the samples that it consists of.
  struct Entry {
    let reading: Reading
    let samples: [EmergencyReading]
  }

  private(set) var entries: [Entry] = []
  private(set) var position: KnownPosition?
  /// Readings that a call contains besides those of a rule.
  private(set) var vitalSigns: [EmergencyReading] = []
  private let isLast: Bool

  var isEmpty: Bool { entries.isEmpty && position == nil && vitalSigns.isEmpty }

  /// The readings of one upload at the server's time; `isLast` if the device sends no other one.
  ///
  /// Samples too far ahead of the server's time are left out. A refused body may have them, and
  /// until that time such a position would take precedence over every later one.
  init(_ received: ReceivedSamples, at now: Instant, isLast: Bool = false) {
    self.isLast = isLast
    let oldest = now.adding(milliseconds: -Self.oldestMilliseconds)
    let newest = now.adding(milliseconds: SampleTimeLimits.aheadMaxMilliseconds)
    var pressures: [PressureKey: PressurePair] = [:]
    for (index, sample) in received.all.enumerated()
    where sample.time >= oldest && sample.time <= newest {
      if sample.type.isVitalSign { vitalSigns.append(EmergencyReading(sample)) }
      switch sample.type {
      case .bloodPressureSystolic:
        pressures[PressureKey(sample), default: PressurePair()].systolic = sample
      case .bloodPressureDiastolic:
        pressures[PressureKey(sample), default: PressurePair()].diastolic = sample
      case .position: note(sample)
      default:
        guard let measurement = Measurement(sample) else { continue }
        add(measurement, sample.time, [sample], isOnBody: received.isOnBody(index))
      }
    }
    for (key, pair) in pressures {
      if let measurement = pair.measurement { add(measurement, key.time, pair.samples) }
    }
    entries.sort { $0.reading.time < $1.reading.time }
  }

  private mutating func add(
    _ measurement: Measurement, _ time: Instant, _ samples: [NewSample], isOnBody: Bool? = nil
  ) {
    let kept = samples.map(EmergencyReading.init)
    let reading = Reading(
      measurement, at: Moment(time), from: samples.first?.device ?? 0, isOnBody: isOnBody,
      isLast: isLast)
    entries.append(Entry(reading: reading, samples: kept))
  }

  private mutating func note(_ sample: NewSample) {
    guard case .position(let point) = sample.value else { return }
    if let position, position.time > sample.time { return }
    position = KnownPosition(point: point, time: sample.time)
  }
}

extension EmergencyReading {
  /// The reading of a sample.
  fileprivate init(_ sample: NewSample) {
    self.init(type: sample.type, value: sample.value, time: sample.time)
  }
}

/// The pressures of one measurement have the time and the device in common.
private struct PressureKey: Hashable {
  let time: Instant
  let device: Int32

  init(_ sample: NewSample) {
    time = sample.time
    device = sample.device
  }
}

private struct PressurePair {
  var systolic: NewSample?
  var diastolic: NewSample?

  var samples: [NewSample] { [systolic, diastolic].compactMap(\.self) }

  var measurement: Measurement? {
    switch (systolic?.value.number, diastolic?.value.number) {
    case (let upper?, let lower?): .bloodPressure(systolic: upper, diastolic: lower)
    case (let upper?, nil): .systolicPressure(upper)
    case (nil, let lower?): .diastolicPressure(lower)
    case (nil, nil): nil
    }
  }
}

extension Measurement {
  /// The reading of a single sample; nil for types that no rule judges, and for pressures.
  fileprivate init?(_ sample: NewSample) {
    switch (sample.type, sample.value) {
    case (.heartRate, .number(let rate)): self = .heartRate(rate)
    case (.speed, .number(let speed)): self = .speed(speed)
    case (.steps, .number(let count)): self = .steps(count)
    case (.fall, .code): self = .fall
    case (.shaking, .code): self = .shaking
    case (.activity, .code): self = .exercise
    default: return nil
    }
  }
}
