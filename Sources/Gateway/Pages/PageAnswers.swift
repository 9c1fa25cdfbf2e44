import HTTP
import ServiceKit
import WebApp

/// The web pages and their files as responses, created once: files in a table, pages in a list of
/// their addresses. No request reads a file.
package struct PageAnswers: Sendable {
  /// One file in the codings that can be sent.
  private struct Document: Sendable {
    let mediaType: String
    let plain: (bytes: [UInt8], tag: EntityTag)
    let compressed: (bytes: [UInt8], tag: EntityTag)?
    let caching: String

    init(_ file: WebFile, caching: String) {
      mediaType = file.mediaType
      plain = (file.bytes, EntityTag(of: file.bytes))
      compressed = file.compressed.map { (bytes: $0, tag: EntityTag(of: $0)) }
      self.caching = caching
    }
  }

  /// Kept without asking, because another content has another path.
  private static let keptForEver = "public, max-age=31536000, immutable"
  private static let keptUntilAsked = "no-cache"
  private static let worker = Array("/worker.js".utf8)
  /// The icon of pages that name none, because they do not know the path of the assets.
  private static let icon = Array("/favicon.ico".utf8)
  private static let iconAsset = "Pictures/trackme-192.png"
  private static let app = Array("/app".utf8)
  private static let assetsPrefix = Array("/assets/".utf8)

  private let shell: Document?
  private let pages: [(address: PageAddress, document: Document)]
  private let assets: [[UInt8]: Document]
  /// The origin of the HTTPS port, to which the plain port sends browsers.
  private let secureOrigin: String

  /// Prepares the responses; without pages each is 404. `secureOrigin` is the address of the HTTPS
  /// port, such as `https://trackme.example`.
  package init(_ pages: WebPages?, secureOrigin: String) {
    self.secureOrigin = secureOrigin
    shell = pages.map { Document($0.shell, caching: Self.keptUntilAsked) }
    self.pages = (pages?.documents ?? []).map { address, file in
      (address, Document(file, caching: Self.keptUntilAsked))
    }
    var assets: [[UInt8]: Document] = [:]
    for (path, file) in pages?.assets ?? [:] {
      assets[Array(path.utf8)] = Document(file, caching: Self.keptForEver)
    }
    if let worker = pages?.worker {
      assets[Self.worker] = Document(worker, caching: Self.keptUntilAsked)
    }
    if let pages, let icon = pages.assets["\(pages.assetsPath)/\(Self.iconAsset)"] {
      assets[Self.icon] = Document(icon, caching: Self.keptUntilAsked)
    }
    self.assets = assets
  }

  /// Whether a path belongs to the pages, whether or not it exists.
  static func cover(_ path: ArraySlice<UInt8>) -> Bool {
    if path.elementsEqual(worker) || path.elementsEqual(icon) { return true }
    return path.elementsEqual(app) || path.starts(with: app + [UInt8(ascii: "/")])
      || path.starts(with: assetsPrefix)
  }

  /// The response for a path that `cover` accepts: the document of a page, or a file. For any other
  /// path, 404 with the document that tells a reader so. Over the plain port, the address of the
  /// HTTPS port, because a login needs it.
  ///
  /// Failure: 404 for an unknown file, and for everything without pages.
  func answer(
    _ head: RequestHead, isSecure: Bool
  ) throws(Problem) -> (head: ResponseHead, body: [UInt8]) {
    guard let shell else { throw .notFound("This gateway has no web pages; its log says why.") }
    guard isSecure else { return redirect(head) }
    guard Self.cover(head.path) else {
      return Self.answer(shell, head, vary: "Accept, Accept-Encoding", status: .notFound)
    }
    guard let document = document(of: head.path, shell) else {
      throw .notFound("The pages have no such file. After an update, load the page again.")
    }
    return Self.answer(document, head, vary: "Accept-Encoding")
  }

  /// The response for `/` if a client prefers HTML; nil for other clients and without pages.
  func home(_ head: RequestHead, isSecure: Bool) -> (head: ResponseHead, body: [UInt8])? {
    guard let shell, MediaPreference.prefersHTML(head.fields) else { return nil }
    guard isSecure else { return redirect(head) }
    return Self.answer(page(at: head.path, shell), head, vary: "Accept, Accept-Encoding")
  }

  /// Whether the response for `/` depends on `Accept`.
  var variesHome: Bool { shell != nil }

  private func document(of path: ArraySlice<UInt8>, _ shell: Document) -> Document? {
    path.starts(with: Self.app) ? page(at: path, shell) : assets[Array(path)]
  }

  private func page(at path: ArraySlice<UInt8>, _ shell: Document) -> Document {
    pages.first { $0.address.matches(path) }?.document ?? shell
  }

  private static func answer(
    _ document: Document, _ request: RequestHead, vary: String, status: HTTPStatus = .ok
  ) -> (head: ResponseHead, body: [UInt8]) {
    let takesGzip = request.fields[.acceptEncoding].map(ContentCoding.takesGzip) ?? false
    let coded = takesGzip ? document.compressed : nil
    let (bytes, tag) = coded ?? document.plain
    var fields = HTTPFields()
    fields.append(.cacheControl, document.caching)
    fields.append(.vary, vary)
    if status == .ok {
      fields.append(.etag, tag.text)
      if tag.isNamed(in: request.fields) { return (ResponseHead(.notModified, fields: fields), []) }
    }
    fields.append(.contentType, document.mediaType)
    if coded != nil { fields.append(.contentEncoding, "gzip") }
    fields.append(contentsOf: PageFields.all)
    return (ResponseHead(status, fields: fields, contentLength: UInt64(bytes.count)), bytes)
  }

  /// 308 to the same path of the HTTPS port. It is not kept: another copy may use the plain port
  /// later.
  private func redirect(_ head: RequestHead) -> (head: ResponseHead, body: [UInt8]) {
    var fields = HTTPFields()
    fields.append(.location, secureOrigin + String(decoding: head.target, as: UTF8.self))
    fields.append(.cacheControl, "no-store")
    return (ResponseHead(.permanentRedirect, fields: fields, contentLength: 0), [])
  }
}
