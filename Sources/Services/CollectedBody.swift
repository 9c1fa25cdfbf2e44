import HTTP

extension Request {
  /// A body that its route streams, read whole, within the route's limit.
  ///
  /// - Throws: 413, and 408 for a body that broke off.
  package func collectedBody() async throws(ApplicationError) -> [UInt8] {
    guard case .stream(let reader) = body else { return body.bytes }
    var bytes: [UInt8] = []
    do throws(BodyReader.Failure) {
      while let part = try await reader.next() { bytes += part }
    } catch {
      switch error {
      case .aborted: throw .timedOut
      case .tooLarge: throw .tooLarge()
      }
    }
    return bytes
  }
}
