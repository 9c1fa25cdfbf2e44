import HTTP
import Operations

/// A request as a handler of a service sees it.
package struct Request: Sendable {
  /// Method, target and fields from the engine.
  package var head: RequestHead
  /// The values of the route's `{names}`, percent-decoded, in the order of the pattern.
  package var pathParameters: PathParameters
  /// The decoded query.
  package var query: Query
  /// The body: collected, or a stream if the route requests it.
  package var body: RequestBody
  /// The identifier of this request in logs and problems.
  package var requestID: RequestID
  /// The address of the other end of the connection.
  package var peer: PeerAddress

  /// Creates a request, for the router and for tests of handlers.
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

/// The values in a path for the `{names}` of its pattern.
package struct PathParameters: Sendable, Equatable {
  var values: [(name: String, value: String)] = []

  /// No parameters.
  package init(_ values: [(name: String, value: String)] = []) { self.values = values }

  /// The value for a name of the pattern; nil if the pattern does not contain the name.
  package subscript(_ name: String) -> String? {
    values.first { $0.name == name }?.value
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.values.elementsEqual(right.values, by: ==)
  }
}

/// A body in the form that the route requests.
package enum RequestBody: Sendable {
  /// Collected completely, within the route's limit.
  case bytes([UInt8])
  /// Read in pieces by the handler.
  case stream(BodyReader)

  /// The bytes of a collected body; empty if the route streams it.
  package var bytes: [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .stream: []
    }
  }
}
