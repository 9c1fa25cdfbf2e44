import Synchronization

/// One label of a metric with its fixed value, never data from a request.
package struct MetricLabel: Sendable, Equatable {
  /// The label's name, such as `method`.
  package let name: StaticString
  /// The label's value, such as `GET`.
  package let value: String

  /// A label with a value.
  package init(_ name: StaticString, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether names and values are equal.
  package static func == (left: Self, right: Self) -> Bool {
    left.name.description == right.name.description && left.value == right.value
  }
}

/// The metrics registry of this process, published on the private metrics port.
///
/// Register each metric once at start and keep the returned instrument: updating it takes no lock.
/// Names are `trackme_<module>_<noun>_<unit>`, counters end in `_total`. Registering the same name
/// and labels again returns the same counter.
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

  /// Registers a counter.
  package func counter(
    _ name: StaticString, _ help: StaticString, labels: [MetricLabel] = []
  ) -> Counter {
    let instrument = register(name, help, labels) { .counter(Counter()) }
    if case .counter(let counter) = instrument { return counter }
    return Counter()
  }

  /// Registers a gauge.
  package func gauge(
    _ name: StaticString, _ help: StaticString, labels: [MetricLabel] = []
  ) -> Gauge {
    let instrument = register(name, help, labels) { .gauge(Gauge()) }
    if case .gauge(let gauge) = instrument { return gauge }
    return Gauge()
  }

  /// Registers a gauge whose value is read for each scrape; `read` may run on any thread.
  package func reading(
    _ name: StaticString, _ help: StaticString, labels: [MetricLabel] = [],
    _ read: @escaping @Sendable () -> Double
  ) {
    _ = register(name, help, labels) { .reading(read) }
  }

  /// Registers a histogram of durations, in seconds.
  package func histogram(
    _ name: StaticString, _ help: StaticString, labels: [MetricLabel] = [],
    bounds: [Duration] = Histogram.requestBounds
  ) -> Histogram {
    let instrument = register(name, help, labels) { .histogram(Histogram(bounds: bounds)) }
    if case .histogram(let histogram) = instrument { return histogram }
    return Histogram(bounds: bounds)
  }

  /// All metrics as Prometheus text (`text/plain; version=0.0.4`).
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
