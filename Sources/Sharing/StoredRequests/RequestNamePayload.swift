import Domain
import JSON
import ServiceKit

/// A body that names a request.
package struct RequestNamePayload: JSONReadable {
  /// The identifier of the request.
  package let requestID: DataRequestID

  package init(from reader: inout JSONReader) throws(JSONError) {
    requestID = try reader.object(with: "reqID") { (reader) throws(JSONError) in
      try reader.requestID()
    }
  }
}
