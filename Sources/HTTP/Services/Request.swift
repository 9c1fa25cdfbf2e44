import Operations

/// A request as a handler of a service sees it.
package struct Request: Sendable {
  /// Method, target and fields as the engine read them.
  package var head: RequestHead
  /// The values of the route's `{names}`, percent-decoded, in the order of the pattern.
  package var pathParameters: PathParameters
  /// The decoded query.
  package var query: Query
  /// The body: collected, or to be read in pieces where the route asks for it.
  package var body: RequestBody
  /// The identifier under which this request stands in logs and problems.
  package var requestID: RequestID
  /// Who is at the other end of the connection.
  package var peer: PeerAddress

  /// A request with its parts, for the router and for tests of handlers.
  package init(
    head: RequestHead, pathParameters: PathParameters = PathParameters(), query: Query = Query(),
    body: RequestBody = .bytes([]), requestID: RequestID = .random(),
    peer: PeerAddress = .unix
  ) {
    self.head = head
    self.pathParameters = pathParameters
    self.query = query
    self.body = body
    self.requestID = requestID
    self.peer = peer
  }
}

/// The values that a path gives for the `{names}` of its pattern.
package struct PathParameters: Sendable, Equatable {
  var values: [(name: String, value: String)] = []

  /// No parameters.
  package init(_ values: [(name: String, value: String)] = []) { self.values = values }

  /// The value for a name of the pattern; nil if the pattern has no such name.
  package subscript(_ name: String) -> String? {
    values.first { $0.name == name }?.value
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.values.elementsEqual(right.values, by: ==)
  }
}

/// A body as the route asked for it.
package enum RequestBody: Sendable {
  /// Read whole, within the route's limit.
  case bytes([UInt8])
  /// To be read in pieces by the handler.
  case stream(BodyReader)

  /// The bytes of a collected body; empty if the route streams it.
  package var bytes: [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .stream: []
    }
  }
}
