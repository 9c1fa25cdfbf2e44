import PublicAPI

/// The priority class of a request to a replica, most urgent first.
enum PriorityClass: Int, CaseIterable {
  /// A connection of its own, so that nothing delays alarms.
  case alarms
  /// Uploads of monitored accounts, each of which may raise an alarm. They share the alarms'
  /// connection, with a limit on uploads in flight.
  case watchedUploads
  /// The connection shared by most requests.
  case ordinary
  /// The same connection, with a limit on uploads in flight; further uploads wait in the gateway.
  case uploads

  init(_ endpoint: Endpoint, isWatched: Bool) {
    self =
      switch (endpoint.rate, endpoint.isUpload) {
      case (.alarms, _): .alarms
      case (_, true): isWatched ? .watchedUploads : .uploads
      default: .ordinary
      }
  }

  /// Whether the priority class uses the reserved connections.
  var isUrgent: Bool { self == .alarms || self == .watchedUploads }

  /// Whether the priority class carries device measurements.
  var carriesUploads: Bool { self == .uploads || self == .watchedUploads }
}
