import Domain
import Time

/// The new samples of one type and day, ordered by time, without duplicates.
struct DaySamples: Sendable {
  let type: DataType
  let day: Int32
  /// The number of samples before duplicates were removed.
  var submitted = 0
  /// Their numbers are 0 until they are stored.
  var samples: [StoredSample] = []

  /// Their device: all samples of one upload are of one device.
  var device: Int32 { samples[0].device }
  var key: DayKey { DayKey(type: type, day: day) }
  var firstTime: Instant { samples[0].time }
  var lastTime: Instant { samples[samples.count - 1].time }

  /// Groups samples by type and by the day in the zone; groups keep the order of their first
  /// sample.
  static func groups(of samples: [NewSample], in zone: TimeZoneRules) -> [DaySamples] {
    var groups: [DaySamples] = []
    var places: [DayKey: Int] = [:]
    var days = CalendarBuckets(.day, rules: zone)
    var bounds = Instant.firstWritable..<Instant.firstWritable
    var day: Int32 = 0
    var last: (key: DayKey, place: Int)?
    for sample in samples {
      if !bounds.contains(sample.time) {
        bounds = days.bounds(around: sample.time)
        day = Int32(zone.day(of: sample.time).daysSince1970)
      }
      let key = DayKey(type: sample.type, day: day)
      let place: Int
      if let last, last.key == key {
        place = last.place
      } else {
        place = places[key] ?? groups.count
        if place == groups.count {
          places[key] = place
          groups.append(DaySamples(type: sample.type, day: day))
        }
        last = (key, place)
      }
      groups[place].samples.append(
        StoredSample(
          time: sample.time, device: sample.device, sequence: 0, value: sample.value))
    }
    for place in groups.indices { groups[place].bringInOrder() }
    return groups
  }

  private mutating func bringInOrder() {
    submitted = samples.count
    let isStrict = zip(samples.dropFirst(), samples).allSatisfy { $0.time > $1.time }
    if isStrict { return }
    var known: Set<StoredSample> = []
    samples.removeAll { !known.insert($0).inserted }
    samples.sort { $0.time < $1.time }
  }

  /// Removes the samples that are already stored.
  mutating func remove(stored: [StoredSample]) {
    var known: Set<StoredSample> = []
    for sample in stored where sample.time >= firstTime && sample.time <= lastTime {
      known.insert(sample.numbered(0))
    }
    if !known.isEmpty { samples.removeAll { known.contains($0) } }
  }

  /// The samples with numbers from `first` on.
  func numbered(from first: Int64) -> [StoredSample] {
    var next = first
    return samples.map { sample in
      defer { next += 1 }
      return sample.numbered(next)
    }
  }
}

/// A type on a day.
struct DayKey: Hashable, Sendable {
  let type: DataType
  let day: Int32
}

extension StoredSample {
  /// The same sample under another number.
  func numbered(_ sequence: Int64) -> StoredSample {
    StoredSample(time: time, device: device, sequence: sequence, value: value)
  }
}
