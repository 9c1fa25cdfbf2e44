import HTTP
import JSON
import Services

/// Asks Data4Help what it alone knows. One per loop.
struct Data4HelpClient: Sendable {
  private let replicas: InternalClient

  /// A client of these replicas.
  init(_ replicas: InternalClient) { self.replicas = replicas }

  /// What the company that calls is called; nil where Data4Help no longer knows the caller.
  ///
  /// - Throws: 503 while no replica answers.
  func companyName(of caller: Identity) async throws(Problem) -> String? {
    let answer = try await replicas.get("/settings/tp", for: caller)
    switch answer.head.status {
    case .ok: break
    case .unauthorized: return nil
    default: throw .unavailable(retryAfter: 1)
    }
    do throws(JSONError) {
      return try JSONReader.read(CompanyName.self, from: answer.body).text
    } catch {
      throw .internalError(because: "Data4Help answered a company without a name.")
    }
  }
}

/// The company's name in its profile.
private struct CompanyName: JSONReadable {
  let text: String

  init(from reader: inout JSONReader) throws(JSONError) {
    text = try reader.object(with: "company_name") { (reader) throws(JSONError) in
      try reader.string()
    }
  }
}
