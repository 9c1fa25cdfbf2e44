// WebApp: the web pages as files in memory. The browser's code is in the folders beside this file
// and needs no build step; the Swift code here reads it once at start, names it by the hash of its
// content, and compresses it. It knows no HTTP: `Gateway` sends the files.

import Bytes
import Cryptography

/// The files of the web pages, ready to be sent.
package struct WebPages: Sendable {
  /// The path below which the assets are. It contains a hash of them all, so that browsers may keep
  /// each one for ever, and never combine files of two versions.
  package let assetsPath: String
  /// The document of every page; the address selects the page in the browser.
  package let shell: WebFile
  /// The service worker; nil if there is none.
  package let worker: WebFile?
  /// The assets by their whole path.
  package let assets: [String: WebFile]

  static let shellName = "Shell/index.html"
  private static let workerName = "Shell/worker.js"
  private static let firstModule = "Client/main.js"
  /// The folder below which other projects' libraries appear.
  static let libraries = "vendor"

  /// Prepares files, which are given by their path in the directory of the pages.
  ///
  /// In the document and the service worker `{assets}` becomes `assetsPath`, and `{preloads}` a
  /// link for each module that the first one imports, directly or not: a browser then requests them
  /// all at once instead of one level of imports after the other. `{files}` becomes the paths that
  /// the service worker stores at once: all assets without the libraries. The document also
  /// contains what the operator has set, such as `{contact}` and `{tiles}`.
  ///
  /// - Throws: `WebPagesError` without a document or a first module.
  package init(
    _ files: [String: [UInt8]], settings: PageSettings = PageSettings()
  ) throws(WebPagesError) {
    guard let document = files[Self.shellName] else { throw .missing(Self.shellName) }
    guard files[Self.firstModule] != nil else { throw .missing(Self.firstModule) }
    let served = files.filter { path, _ in
      // Files beside the folders belong to the build.
      path.contains("/") && path != Self.workerName && WebFile.mediaType(ofAsset: path) != nil
    }
    let assetsPath = "/assets/\(Self.version(of: served))"
    var assets: [String: WebFile] = [:]
    for (path, bytes) in served {
      guard let mediaType = WebFile.mediaType(ofAsset: path) else { continue }
      assets["\(assetsPath)/\(path)"] = WebFile(bytes, mediaType: mediaType)
    }
    let modules = ModuleImports(files).reached(from: Self.firstModule)
    let ownPaths = assets.keys.filter { !$0.hasPrefix("\(assetsPath)/\(Self.libraries)/") }.sorted()
    func filled(_ template: [UInt8], mediaType: String) -> WebFile {
      let preloads = modules.map { "<link rel=\"modulepreload\" href=\"\(assetsPath)/\($0)\">" }
      let text = String(decoding: template, as: UTF8.self)
        .replacing("{assets}", with: assetsPath)
        .replacing("{preloads}", with: preloads.joined(separator: "\n"))
        .replacing("{files}", with: ownPaths.joined(separator: " "))
        .replacing("{contact}", with: PageSettings.escaped(settings.contact))
        .replacing("{tiles}", with: PageSettings.escaped(settings.tilesAttribution))
      return WebFile(Array(text.utf8), mediaType: mediaType)
    }
    self.assetsPath = assetsPath
    self.assets = assets
    shell = filled(document, mediaType: "text/html; charset=utf-8")
    worker = files[Self.workerName].map { filled($0, mediaType: WebFile.script) }
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
