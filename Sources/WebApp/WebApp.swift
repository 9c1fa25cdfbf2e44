// WebApp: the web pages as files in memory. The browser's code is in the folders beside this
// file and needs no build step; the Swift code here reads it once at start, removes the comments
// of modules, names the files by the hash of their content, and compresses them. It knows no
// HTTP: `Gateway` sends the files.

import Bytes
import Cryptography
import JSON

/// The files of the web pages, ready to be sent.
package struct WebPages: Sendable {
  /// The path below which the assets are. It contains a hash of them all, so that browsers may keep
  /// each one for ever, and never combine files of two versions.
  package let assetsPath: String
  /// The document of an unknown address. The address selects the page in the browser.
  package let shell: WebFile
  /// The documents of the known addresses. They differ from `shell` in their
  /// links and the folder of their texts.
  package let documents: [(address: PageAddress, file: WebFile)]
  /// The service worker; nil if there is none.
  package let worker: WebFile?
  /// The assets by their whole path.
  package let assets: [String: WebFile]

  static let shellName = "Shell/index.html"
  private static let workerName = "Shell/worker.js"
  private static let firstModule = "Client/main.js"
  /// The folder below which other projects' libraries appear.
  static let libraries = "vendor"

  /// Prepares files, which are given by their path in the directory of the pages, and removes the
  /// comments of modules.
  ///
  /// In the document and the service worker `{assets}` becomes `assetsPath`, and `{preloads}` a
  /// link for each module that the first one and that of the page import, directly or not: a
  /// browser then requests them all at once instead of one level of imports after the other.
  /// `{texts}` becomes the folder of the texts of the page, in `Text`; empty for all texts.
  /// `{files}` becomes the paths that the service worker stores at once: all assets without the
  /// libraries and the texts of single pages. The document also contains what the operator has set,
  /// such as `{contact}` and `{tiles}`.
  ///
  /// - Throws: `WebPagesError` without a document or a first module, or if texts are malformed.
  package init(
    _ files: [String: [UInt8]], settings: PageSettings = PageSettings()
  ) throws(WebPagesError) {
    let files = Self.withoutComments(files)
    guard let document = files[Self.shellName] else { throw .missing(Self.shellName) }
    guard files[Self.firstModule] != nil else { throw .missing(Self.firstModule) }
    let served = files.filter { path, _ in
      // Files beside the folders belong to the build.
      path.contains("/") && path != Self.workerName && WebFile.mediaType(ofAsset: path) != nil
    }
    let graph = ModuleGraph(files)
    let pages = PageRoutes.read(files[PageRoutes.list] ?? [])
    let texts = try Self.texts(of: pages.map(\.module), in: files, graph)
    // Browsers keep the selected texts too, and the selection depends on this code.
    let sent = served.merging(texts) { served, _ in served }
    let assetsPath = "/assets/\(Self.version(of: sent))"
    self.assetsPath = assetsPath
    assets = Self.assets(sent, below: assetsPath)
    let stored = served.keys.filter { !$0.hasPrefix("\(Self.libraries)/") }.sorted()
    let common = graph.reached(from: Self.firstModule)
    func filled(_ template: [UInt8], mediaType: String, page: String? = nil) -> WebFile {
      let own = page.map { graph.reached(from: $0).filter { !common.contains($0) } } ?? []
      let preloads = (common + own).map {
        "<link rel=\"modulepreload\" href=\"\(assetsPath)/\($0)\">"
      }
      let text = String(decoding: template, as: UTF8.self)
        .replacing("{assets}", with: assetsPath)
        .replacing("{preloads}", with: preloads.joined(separator: "\n"))
        .replacing("{texts}", with: page.map { "\(PageRoutes.name(of: $0))/" } ?? "")
        .replacing("{files}", with: stored.map { "\(assetsPath)/\($0)" }.joined(separator: " "))
        .replacing("{contact}", with: PageSettings.escaped(settings.contact))
        .replacing("{tiles}", with: PageSettings.escaped(settings.tilesAttribution))
      return WebFile(Array(text.utf8), mediaType: mediaType)
    }
    shell = filled(document, mediaType: WebFile.html)
    documents = pages.map { address, module in
      (address, filled(document, mediaType: WebFile.html, page: module))
    }
    worker = files[Self.workerName].map { filled($0, mediaType: WebFile.script) }
  }

  /// Removes the comments from the modules of the pages.
  private static func withoutComments(_ files: [String: [UInt8]]) -> [String: [UInt8]] {
    Dictionary(
      uniqueKeysWithValues: files.map { path, bytes in
        let isModule = path.hasSuffix(".js") && !path.hasPrefix("\(libraries)/")
        return (path, isModule ? ModuleText.withoutComments(bytes) : bytes)
      })
  }

  private static func assets(
    _ files: [String: [UInt8]], below assetsPath: String
  ) -> [String: WebFile] {
    var assets: [String: WebFile] = [:]
    for (path, bytes) in files {
      guard let mediaType = WebFile.mediaType(ofAsset: path) else { continue }
      assets["\(assetsPath)/\(path)"] = WebFile(bytes, mediaType: mediaType)
    }
    return assets
  }

  /// The texts of these pages in each language, by path.
  private static func texts(
    of pages: [String], in files: [String: [UInt8]], _ graph: ModuleGraph
  ) throws(WebPagesError) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    let common = graph.reached(from: firstModule, withLater: true)
    for (path, bytes) in files where path.hasPrefix("Text/") && path.hasSuffix(".json") {
      let texts: PageTexts
      do throws(JSONError) { texts = try PageTexts(bytes) } catch { throw .malformed(path, error) }
      for page in pages {
        let modules = common + graph.reached(from: page, withLater: true)
        let literals = modules.reduce(into: Set()) { $0.formUnion(graph.literals(of: $1)) }
        let name = path.dropFirst("Text/".count)
        found["Text/\(PageRoutes.name(of: page))/\(name)"] = texts.named(by: literals)
      }
    }
    return found
  }

  /// A hash of paths and contents; 80 bits suffice to distinguish versions.
  private static func version(of files: [String: [UInt8]]) -> String {
    let hash = RunningSHA256()
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
      hash.append(Array("\(path)\n\(bytes.count)\n".utf8).span)
      hash.append(bytes.span)
    }
    return Hexadecimal.encode(hash.finish().bytes.span.extracting(0..<10))
  }
}
