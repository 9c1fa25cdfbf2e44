import Synchronization

/// One label of a metric and its fixed value; never anything from a request.
package struct MetricLabel: Sendable, Equatable {
  /// The label, as `method`.
  package let name: StaticString
  /// Its value, as `GET`.
  package let value: String

  /// A label with a value.
  package init(_ name: StaticString, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether names and values agree.
  package static func == (left: Self, right: Self) -> Bool {
    left.name.description == right.name.description && left.value == right.value
  }
}

/// All that this process counts and measures, for the private port of metrics.
///
/// Register once at start and keep what is returned: counting takes no lock. Names are
/// `trackme_<module>_<noun>_<unit>`, counters end in `_total`. Registering the same name and labels
/// again gives the same counter.
package final class Metrics: Sendable {
  enum Instrument: Sendable {
    case counter(Counter)
    case gauge(Gauge)
    case reading(@Sendable () -> Double)
    case histogram(Histogram)

    var typeName: String {
      switch self {
      case .counter: "counter"
      case .gauge, .reading: "gauge"
      case .histogram: "histogram"
      }
    }
  }

  struct Series: Sendable {
    let labels: [MetricLabel]
    let instrument: Instrument
  }

  struct Family: Sendable {
    let name: String
    let help: String
    var series: [Series]
  }

  private let families = Mutex<[Family]>([])

  /// An empty registry.
  package init() {}

  /// A number that only grows.
  package func counter(
    _ name: StaticString, _ help: StaticString, labels: [MetricLabel] = []
  ) -> Counter {
    let instrument = register(name, help, labels) { .counter(Counter()) }
    if case .counter(let counter) = instrument { return counter }
    return Counter()
  }

  /// A number that rises and falls.
  package func gauge(
    _ name: StaticString, _ help: StaticString, labels: [MetricLabel] = []
  ) -> Gauge {
    let instrument = register(name, help, labels) { .gauge(Gauge()) }
    if case .gauge(let gauge) = instrument { return gauge }
    return Gauge()
  }

  /// A number that is looked up whenever metrics are asked for; `read` may run on any thread.
  package func reading(
    _ name: StaticString, _ help: StaticString, labels: [MetricLabel] = [],
    _ read: @escaping @Sendable () -> Double
  ) {
    _ = register(name, help, labels) { .reading(read) }
  }

  /// A distribution of durations, in seconds.
  package func histogram(
    _ name: StaticString, _ help: StaticString, labels: [MetricLabel] = [],
    bounds: [Duration] = Histogram.requestBounds
  ) -> Histogram {
    let instrument = register(name, help, labels) { .histogram(Histogram(bounds: bounds)) }
    if case .histogram(let histogram) = instrument { return histogram }
    return Histogram(bounds: bounds)
  }

  /// Everything as Prometheus text (`text/plain; version=0.0.4`).
  package func text() -> String {
    MetricsText.render(families.withLock { $0 })
  }

  private func register(
    _ name: StaticString, _ help: StaticString, _ labels: [MetricLabel],
    _ make: @Sendable () -> Instrument
  ) -> Instrument {
    families.withLock { families in
      let name = name.description
      guard let index = families.firstIndex(where: { $0.name == name }) else {
        let instrument = make()
        let series = [Series(labels: labels, instrument: instrument)]
        families.append(Family(name: name, help: help.description, series: series))
        return instrument
      }
      if let series = families[index].series.first(where: { $0.labels == labels }) {
        return series.instrument
      }
      let instrument = make()
      families[index].series.append(Series(labels: labels, instrument: instrument))
      return instrument
    }
  }
}
