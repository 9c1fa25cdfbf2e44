import PublicAPI

/// Which way to a replica a request takes; the most urgent first.
enum Lane: Int, CaseIterable {
  /// A connection of its own, which nothing else holds up.
  case alarms
  /// Uploads of people who are watched over: any of them may be an alarm. The connection of alarms,
  /// with room for so many at a time.
  case watchedUploads
  /// The connection that most requests share.
  case ordinary
  /// The same one, with room for so many at a time; more wait in the gateway.
  case uploads

  init(_ endpoint: Endpoint, isWatched: Bool) {
    self =
      switch (endpoint.rate, endpoint.isUpload) {
      case (.alarms, _): .alarms
      case (_, true): isWatched ? .watchedUploads : .uploads
      default: .ordinary
      }
  }

  /// Whether it carries what devices measure.
  var carriesUploads: Bool { self == .uploads || self == .watchedUploads }
}
