/// The text format of Prometheus, version 0.0.4
/// (prometheus.io/docs/instrumenting/exposition_formats).
enum MetricsText {
  static func render(_ families: [Metrics.Family]) -> String {
    var text = ""
    for family in families.sorted(by: { $0.name < $1.name }) {
      text += "# HELP \(family.name) \(escaped(family.help, quotes: false))\n"
      text += "# TYPE \(family.name) \(family.series.first?.instrument.typeName ?? "untyped")\n"
      for series in family.series { text += lines(of: series, family.name) }
    }
    return text
  }

  private static func lines(of series: Metrics.Series, _ name: String) -> String {
    switch series.instrument {
    case .counter(let counter): line(name, series.labels, "\(counter.value)")
    case .gauge(let gauge): line(name, series.labels, "\(gauge.value)")
    case .reading(let read): line(name, series.labels, number(read()))
    case .histogram(let histogram): lines(of: histogram, name, series.labels)
    }
  }

  private static func lines(
    of histogram: Histogram, _ name: String, _ labels: [MetricLabel]
  ) -> String {
    let counts = histogram.bucketCounts
    let bounds = histogram.boundsNanoseconds.map { number(Double($0) / 1e9) } + ["+Inf"]
    var text = ""
    var total: UInt64 = 0
    for (bound, count) in zip(bounds, counts) {
      total += count
      text += line("\(name)_bucket", labels + [MetricLabel("le", bound)], "\(total)")
    }
    text += line("\(name)_sum", labels, number(histogram.sumSeconds))
    return text + line("\(name)_count", labels, "\(total)")
  }

  private static func line(_ name: String, _ labels: [MetricLabel], _ value: String) -> String {
    guard !labels.isEmpty else { return "\(name) \(value)\n" }
    let pairs = labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
    return "\(name){\(pairs.joined(separator: ","))} \(value)\n"
  }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
