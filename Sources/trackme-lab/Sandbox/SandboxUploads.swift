import Domain
import EventLoop
import HTTP
import Installation
import Operations
import Time

/// Uploads the measurements of the town through the gateway, month by month, as the people's own
/// uploads.
struct SandboxUploads: Sendable {
  let town: Town
  let zone: TimeZoneRules
  /// The tokens of the people, by number.
  let tokens: [String]
  /// One client for each concurrent upload.
  let gateways: [LocalGateway]
  /// Later measurements are left out.
  let now: Instant

  /// The number of concurrent uploads: enough to keep two replicas of Data4Help busy.
  static let connections = 6

  /// Uploads everything and returns the number of samples; `say` receives a line for each month.
  ///
  /// - Throws: `StartError` for a refused upload.
  func run(say: (String) -> Void) async throws(StartError) -> Int {
    var total = 0
    for days in town.months {
      let counts = await withTaskGroup(of: Result<Int, StartError>.self) { group in
        for part in gateways.indices {
          group.addTask { await upload(days, part: part) }
        }
        var counts: [Result<Int, StartError>] = []
        for await count in group { counts.append(count) }
        return counts
      }
      for count in counts { total += try count.get() }
      say("\(CalendarDate(daysSince1970: days.upperBound)): \(total) samples")
    }
    return total
  }

  /// Uploads some days of every person whose number has this remainder.
  private func upload(_ days: ClosedRange<Int>, part: Int) async -> Result<Int, StartError> {
    var count = 0
    for citizen in town.citizens where citizen.number % gateways.count == part {
      var samples = CitizenSamples(of: citizen, in: town, zone).samples(of: days, until: now)
      if days.upperBound == town.days.upperBound {
        samples.append(CitizenSamples.position(of: citizen, at: now))
      }
      guard !samples.isEmpty else { continue }
      do throws(StartError) {
        _ = try await gateways[part].insist(
          .post, "/data/upload", CitizenSample.upload(samples),
          token: tokens[citizen.number])
      } catch {
        return .failure(error)
      }
      count += samples.count
    }
    return .success(count)
  }
}
