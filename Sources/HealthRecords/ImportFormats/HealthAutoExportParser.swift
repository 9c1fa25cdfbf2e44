import Domain
import JSON
import Time

/// Reads the JSON of Health Auto Export (DAT-6):
/// `{"data":{"metrics":[{"name","units","data":[{"date","qty"},…]},…]}}`, where a heart rate has
/// `Avg`, a blood pressure `systolic` and `diastolic`, and sleep `totalSleep` or `asleep` in place
/// of `qty`. Workouts and everything else in a file are skipped.
///
/// Points that precede the name and the unit of their metric are kept until both are known: memory
/// grows with such a metric, up to a limit.
final class HealthAutoExportParser: ImportParser {
  /// The kind of a container in the document.
  private enum Container {
    case document, root, content, metrics, metric, points, point, other
  }

  private var samples: [Sample] = []
  private(set) var skipped = SkippedRecords()
  private let now: Instant
  private var lexer = JSONPushLexer()
  private var containers: [Container] = [.document]
  private var name = ""
  private var fedBytes = 0
  private var hasMetrics = false
  private var metric = HealthAutoExportMetric()
  private var point = HealthAutoExportPoint()

  /// A file read at this server time.
  init(now: Instant) { self.now = now }

  var sampleCount: Int { samples.count }

  func takeSamples() -> [Sample] {
    defer { samples = [] }
    return samples
  }

  func feed(_ bytes: Span<UInt8>) throws(ImportFault) {
    fedBytes += bytes.count
    guard fedBytes <= ImportLimits.documentBytesMax else {
      throw fault("The document is longer than \(ImportLimits.documentBytesMax) bytes.")
    }
    lexer.append(bytes)
    while let token = try nextToken() { try take(token) }
  }

  func finish() throws(ImportFault) {
    do throws(JSONFault) { try lexer.finish() } catch { throw ImportFault(error) }
    guard hasMetrics else {
      throw fault("The file has no data.metrics, so it is not from Health Auto Export.")
    }
  }

  private var container: Container { containers[containers.count - 1] }

  private func nextToken() throws(ImportFault) -> JSONPushLexer.Token? {
    do throws(JSONFault) { return try lexer.next() } catch { throw ImportFault(error) }
  }

  /// A fault at the last token.
  private func fault(_ detail: String) -> ImportFault { ImportFault(lexer.fault(detail)) }

  private func take(_ token: JSONPushLexer.Token) throws(ImportFault) {
    switch token {
    case .name(let text): name = text
    case .beginObject: try begin(isObject: true)
    case .beginArray: try begin(isObject: false)
    case .endObject, .endArray: try end()
    case .string(let text): try take(text)
    case .number(let number): try take(number)
    case .word: if container == .document { throw fault(Self.noObject) }
    }
  }

  private static let noObject = "The file is not a JSON object."

  private func begin(isObject: Bool) throws(ImportFault) {
    var inner = Container.other
    switch (container, isObject) {
    case (.document, true): inner = .root
    case (.document, false): throw fault(Self.noObject)
    case (.root, true) where name == "data": inner = .content
    case (.content, false) where name == "metrics":
      guard !hasMetrics else { throw fault("The field metrics occurs twice.") }
      hasMetrics = true
      inner = .metrics
    case (.metrics, true):
      inner = .metric
      metric = HealthAutoExportMetric()
    case (.metric, false) where name == "data": inner = .points
    case (.points, true):
      inner = .point
      point = HealthAutoExportPoint()
    default: break
    }
    containers.append(inner)
  }

  private func end() throws(ImportFault) {
    switch containers.removeLast() {
    case .point:
      guard metric.park(point) else {
        throw fault(
          "A metric has more than \(ImportLimits.parkedPointsMax) points before its name.")
      }
      if metric.isKnown { metric.release(into: &samples, &skipped, now: now) }
    case .metric:
      guard metric.name != nil else { throw fault("A metric has no name.") }
      metric.release(into: &samples, &skipped, now: now)
    default: break
    }
  }

  private func take(_ text: String) throws(ImportFault) {
    switch container {
    case .document: throw fault(Self.noObject)
    case .metric where name == "name": metric.name = text
    case .metric where name == "units": metric.units = text
    case .point: point.take(text, name)
    default: break
    }
  }

  private func take(_ number: Double) throws(ImportFault) {
    switch container {
    case .document: throw fault(Self.noObject)
    case .metric where name == "name" || name == "units":
      throw fault("The \(name) of a metric is not a string.")
    case .point: point.take(number, name)
    default: break
    }
  }
}
