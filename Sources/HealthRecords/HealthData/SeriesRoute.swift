import Accounts
import Domain
import JSON
import ServiceKit
import Time
import Web

extension HealthDataRoutes {
  /// Answers `/data/series`.
  @Sendable func series(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let period = try SamplePeriod(request.query)
    guard let type = request.query["type"].flatMap({ DataType(name: $0) }) else {
      throw .invalid("Name a data type.", field: "type")
    }
    guard let granularity = Granularity(rawValue: request.query["granularity"] ?? "raw") else {
      throw .invalid("Use raw, hour, day, week or month.", field: "granularity")
    }
    var cursor: SeriesCursor?
    if let text = request.query["cursor"] {
      cursor = try SeriesCursor(text, type: type, granularity: granularity)
    }
    let reader = SeriesReader(
      account: caller.account, type: type, database: dependencies.database,
      sealingKey: try await dependencies.accountKeys.key(of: caller.account),
      zone: dependencies.zone)
    guard let unit = granularity.unit else {
      let (page, next) = try await reader.rawPage(period, after: cursor)
      return Self.answer(type, next: next) { writer in
        for sample in page { sample.write(type, to: &writer) }
      }
    }
    guard type.isNumeric else {
      throw .invalid("A type without numbers has a raw series only.", field: "granularity")
    }
    return try await points(reader, unit, granularity, period, after: cursor)
  }

  private func points(
    _ reader: SeriesReader, _ unit: CalendarUnit, _ granularity: Granularity,
    _ period: SamplePeriod, after cursor: SeriesCursor?
  ) async throws(ApplicationError) -> Response {
    let rest = SamplePeriod(from: max(period.from, cursor?.time ?? .firstWritable), to: period.to)
    let points = try await reader.points(unit, rest)
    var next: SeriesCursor?
    if points.count > SeriesReader.pageMax {
      next = SeriesCursor(
        type: reader.type, granularity: granularity, time: points[SeriesReader.pageMax].start,
        sequence: 0)
    }
    return Self.answer(reader.type, next: next) { writer in
      for point in points.prefix(SeriesReader.pageMax) { point.write(to: &writer) }
    }
  }

  private static func answer(
    _ type: DataType, next: SeriesCursor?, _ points: (inout JSONWriter) -> Void
  ) -> Response {
    .json {
      $0.field("type", type.name)
      $0.field("unit", type.unit)
      $0.array("points", points)
      $0.fieldIfPresent("next", next?.text)
    }
  }
}

extension StoredSample {
  /// Writes a raw point.
  fileprivate func write(_ type: DataType, to writer: inout JSONWriter) {
    writer.object {
      $0.field("time", time.description)
      switch value {
      case .number(let number): $0.field("value", number)
      case .position, .code: $0.field("value", value.text(of: type))
      }
      $0.field("device", device == 0 ? nil : device.description)
    }
  }
}

extension SeriesStretch {
  /// Writes a point of a coarser series.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("time", start.description)
      $0.field("count", moments.count)
      $0.field("mean", moments.mean)
      $0.field("min", moments.min)
      $0.field("max", moments.max)
    }
  }
}
