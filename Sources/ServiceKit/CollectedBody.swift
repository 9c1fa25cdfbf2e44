import Web

extension Request {
  /// Reads a streamed body completely, within the route's limit.
  ///
  /// - Throws: `tooLarge`, and `timedOut` for an incomplete body.
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
