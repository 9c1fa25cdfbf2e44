import HTTP
import JSON
import PublicAPI
import ServiceKit

/// The responses of the gateway itself, created once.
package struct LocalAnswers: Sendable {
  private struct Document: Sendable {
    let bytes: [UInt8]
    let mediaType: String
    let tag: EntityTag

    init(_ bytes: [UInt8], _ mediaType: String) {
      self.bytes = bytes
      self.mediaType = mediaType
      tag = EntityTag(of: bytes)
    }
  }

  private let openAPI: Document
  private let page: Document
  private static let up = Array("{\"status\":\"up\"}".utf8)
  private static let ready = Array("{\"status\":\"ready\"}".utf8)

  /// Creates the documents; `publicURL` is the public address of the API.
  package init(publicURL: String) {
    openAPI = Document(OpenAPI(serverURL: publicURL).json(), "application/json")
    page = Document(DocumentationPage.bytes(PublicAPI.endpoints), "text/html; charset=utf-8")
  }

  /// The response of one of the gateway's endpoints.
  ///
  /// Failure: 503 of `/ready` while the gateway cannot serve.
  func answer(
    _ endpoint: Endpoint, _ head: RequestHead, isReady: Bool
  ) throws(Problem) -> (head: ResponseHead, body: [UInt8]) {
    switch endpoint.path {
    case Endpoint.openAPI.path: return Self.answer(openAPI, head)
    case Endpoint.home.path, Endpoint.documentation.path: return Self.answer(page, head)
    case Endpoint.ready.path:
      guard isReady else { throw .unavailable() }
      return Self.status(Self.ready)
    default: return Self.status(Self.up)
    }
  }

  private static func status(_ bytes: [UInt8]) -> (head: ResponseHead, body: [UInt8]) {
    var head = ResponseHead(.ok, contentLength: UInt64(bytes.count))
    head.fields.append(.contentType, "application/json")
    head.fields.append(.cacheControl, "no-store")
    return (head, bytes)
  }

  private static func answer(
    _ document: Document, _ request: RequestHead
  ) -> (head: ResponseHead, body: [UInt8]) {
    var fields = HTTPFields()
    fields.append(.etag, document.tag.text)
    fields.append(.cacheControl, "no-cache")
    if document.tag.isNamed(in: request.fields) {
      return (ResponseHead(.notModified, fields: fields), [])
    }
    fields.append(.contentType, document.mediaType)
    fields.append(
      .contentSecurityPolicy,
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
    let head = ResponseHead(.ok, fields: fields, contentLength: UInt64(document.bytes.count))
    return (head, document.bytes)
  }
}
