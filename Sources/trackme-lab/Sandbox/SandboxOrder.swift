/// The arguments of `trackme-lab sandbox`.
package struct SandboxOrder: Equatable, Sendable {
  /// The number of people.
  package var people = 1200
  /// The number of days with measurements, today included.
  package var days = 365
  /// The seed of everything random.
  package var seed: UInt64 = 1
  /// Whether some people continue to upload afterwards.
  package var isLive = false
  /// After how many seconds the live uploads end; nil for no end.
  package var liveSeconds: Int64?

  /// The ranges of people and days.
  package static let peopleRange = 2...5000
  package static let daysRange = 7...730

  static let flags: Set = ["--people", "--days", "--seed", "--live", "--for"]

  static let usage = """
    usage: trackme-lab sandbox [--people N] [--days N] [--seed N] [--live [--for SECONDS]]
                               [--state DIRECTORY]
      --people  \(peopleRange.lowerBound) to \(peopleRange.upperBound) (1200); group requests need \
    more than 1000
      --days    with measurements, back from today, \(daysRange.lowerBound) to \
    \(daysRange.upperBound) (365)
      --seed    a whole number: the same one makes the same people (1)
      --live    some people continue to upload a heart rate every few seconds, until Ctrl-C
      --for     ends the live uploads after this number of seconds
      --state   the state directory of the running copy (.trackme)
      Other settings can also be flags. The API key of the town's company is shown only once.
    """

  /// Returns nil for invalid or out-of-range arguments.
  package init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--live" {
        isLive = true
        continue
      }
      guard let value = rest.popFirst(), take(argument, value) else { return nil }
    }
    guard isLive || liveSeconds == nil else { return nil }
  }

  private mutating func take(_ argument: String, _ value: String) -> Bool {
    switch argument {
    case "--people":
      guard let number = Int(value), Self.peopleRange.contains(number) else { return false }
      people = number
    case "--days":
      guard let number = Int(value), Self.daysRange.contains(number) else { return false }
      days = number
    case "--seed":
      guard let number = UInt64(value) else { return false }
      seed = number
    case "--for":
      guard let number = Int64(value), (1...86_400).contains(number) else { return false }
      liveSeconds = number
    default: return false
    }
    return true
  }
}
