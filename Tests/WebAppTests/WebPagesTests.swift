import CZlib
import Foundation
import Operations
import Requirements
import Testing
import WebApp

@Suite("The files of the web pages")
struct WebPagesTests {
  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// Two levels of imports, and one that is made later.
  private static let files: [String: [UInt8]] = [
    "Shell/index.html": bytes("<html>{assets}|{preloads}|{assets}</html>"),
    "Shell/worker.js": bytes("const assets = \"{assets}\", files = \"{files}\";"),
    "Client/main.js": bytes(
      """
      import { h,
        show } from "./dom.js";
      import "../Elements/frame.js";
      const page = import("../Pages/login/login.js");
      import { gone } from "./missing.js";
      """),
    "Client/dom.js": bytes("/** @typedef {import(\"./types\").Endpoints} E */"),
    "Elements/frame.js": bytes("export { h } from \"../Client/../Client/dom.js\";"),
    "Pages/login/login.js": bytes(String(repeating: "// login\n", count: 100)),
    "Client/types.d.ts": bytes("export {}"), "WebApp.swift": bytes("import Cryptography"),
    "tsconfig.json": bytes("{}"), "Text/it.json": bytes("{}"), "vendor/x/x.js.map": bytes("{}"),
    "Pictures/a.png": [UInt8](repeating: 7, count: 1000),
  ]

  private static func paths(_ pages: WebPages) -> Set<String> {
    Set(pages.assets.keys.map { String($0.dropFirst(pages.assetsPath.count + 1)) })
  }

  @Test("the files that browsers need are assets below one hash")
  func assets() throws {
    let pages = try WebPages(Self.files)
    #expect(
      Self.paths(pages) == [
        "Client/main.js", "Client/dom.js", "Elements/frame.js", "Pages/login/login.js",
        "Text/it.json", "Pictures/a.png",
      ])
    #expect(pages.assetsPath.wholeMatch(of: /\/assets\/[0-9a-f]{20}/) != nil)
    let script = try #require(pages.assets["\(pages.assetsPath)/Client/main.js"])
    #expect(script.mediaType == "text/javascript; charset=utf-8")
    #expect(script.bytes == Self.files["Client/main.js"])
  }

  @Test("modules are sent without the comments that have lines of their own", .tags(.UI_14))
  func comments() throws {
    let module = """
      // The first line.
      /** One line. */
      import { h } from "./dom.js";
        /*
         * Several.
         */
      const address = "https://example.org"; // Behind code.
      /** @type {Node} */ (h).focus();
      /* Behind it. */ const a = 1; /* And again. */
      /* Before it,
       */ const b = 2;
      """
    let sent = """



      import { h } from "./dom.js";



      const address = "https://example.org"; // Behind code.
      /** @type {Node} */ (h).focus();
      /* Behind it. */ const a = 1; /* And again. */
      /* Before it,
       */ const b = 2;
      """.dropFirst()
    var files = Self.files
    files["Client/dom.js"] = Self.bytes(module)
    files["vendor/x/x.js"] = Self.bytes(module)
    let pages = try WebPages(files)
    let own = try #require(pages.assets["\(pages.assetsPath)/Client/dom.js"])
    #expect(String(decoding: own.bytes, as: UTF8.self) == sent)
    let library = try #require(pages.assets["\(pages.assetsPath)/vendor/x/x.js"])
    #expect(library.bytes == files["vendor/x/x.js"])
    // A changed comment keeps what browsers have.
    files["Client/dom.js"] = Self.bytes(module.replacing("Several", with: "Many"))
    #expect(try WebPages(files).assetsPath == pages.assetsPath)
  }

  @Test("another content, or another name, has another hash")
  func version() throws {
    let path = try WebPages(Self.files).assetsPath
    #expect(try WebPages(Self.files).assetsPath == path)
    var changed = Self.files
    changed["Text/it.json"] = Self.bytes("{ }")
    #expect(try WebPages(changed).assetsPath != path)
    var renamed = Self.files
    renamed["Text/en.json"] = renamed.removeValue(forKey: "Text/it.json")
    #expect(try WebPages(renamed).assetsPath != path)
    // The document has a path without a hash.
    var other = Self.files
    other["Shell/index.html"] = Self.bytes("<html></html>")
    #expect(try WebPages(other).assetsPath == path)
  }

  @Test("the document links its assets, and the modules that the first one imports", .tags(.UI_14))
  func shell() throws {
    let pages = try WebPages(Self.files)
    let path = pages.assetsPath
    let links = ["Client/main.js", "Client/dom.js", "Elements/frame.js"].map {
      "<link rel=\"modulepreload\" href=\"\(path)/\($0)\">"
    }
    let expected = "<html>\(path)|\(links.joined(separator: "\n"))|\(path)</html>"
    #expect(String(decoding: pages.shell.bytes, as: UTF8.self) == expected)
    #expect(pages.shell.mediaType == "text/html; charset=utf-8")
  }

  @Test("the document of a page also links the modules of that page", .tags(.UI_14))
  func documents() throws {
    var files = Self.files
    files["Client/routes.js"] = Self.bytes(
      """
      export const routes = [
        {
          path: "/", reader: "everybody", load: () => import("../Pages/login/login.js"),
        },
        {
          path: "/app/runs/:code/live", reader: "everybody",
          title: "live.title", load: () => import("../Pages/live/live.js"),
        },
      ];
      """)
    files["Pages/live/live.js"] = Self.bytes(
      """
      import { h } from "../../Client/dom.js";
      import { map } from "../../Elements/map.js";
      """)
    files["Elements/map.js"] = Self.bytes("export const map = 1;")
    let pages = try WebPages(files)
    #expect(pages.documents.count == 2)
    let known = Self.preloads(pages.shell)
    #expect(known == ["Client/main.js", "Client/dom.js", "Elements/frame.js"])
    #expect(Self.preloads(pages.documents[0].file) == known + ["Pages/login/login.js"])
    #expect(
      Self.preloads(pages.documents[1].file) == known + ["Pages/live/live.js", "Elements/map.js"])
    let addresses: [(path: String, expected: [Bool])] = [
      ("/", [true, false]), ("/app/runs/A1/live", [false, true]),
      ("/app/runs/A1/live/", [false, true]), ("/app/runs/A1", [false, false]),
      ("/app/runs/A1/live/x", [false, false]), ("/app/Runs/A1/live", [false, false]),
      ("/app" + String(repeating: "/a", count: 4_000), [false, false]),
    ]
    for (path, expected) in addresses {
      #expect(pages.documents.map { $0.address.matches(Self.bytes(path)[...]) } == expected)
    }
  }

  @Test("the texts of a page are those that its code may show", .tags(.UI_14))
  func texts() throws {
    var files = Self.files
    files["Shell/index.html"] = Self.bytes("{texts}")
    files["Client/routes.js"] = Self.bytes(
      "{ path: \"/app/login\", load: () => import(\"../Pages/login/login.js\"), }")
    files["Client/main.js"] = Self.bytes(
      """
      import "./frame.js";
      const { alarm } = await import("./alarm.js");
      """)
    files["Client/frame.js"] = Self.bytes("t(\"menu.help\", { count }); icon: \"unused\"")
    files["Client/alarm.js"] = Self.bytes("t(\"alarm.title\")")
    files["Pages/login/login.js"] = Self.bytes(
      """
      t(isNew ? "login.new" : "login.known"); t(`step.${name}.title`);
      nameOf("state", value); named("kind.long", value);
      for (const prefix of ["reason", "cause"]) nameOf(prefix, value);
      """)
    let page = [
      "alarm.title", "cause.a", "kind.long.a", "login.known", "login.new", "menu.help",
      "reason.a", "state.a", "state.b", "step.one.text", "step.one.title",
    ]
    let others = ["kind.short.a", "login.other", "menu.runs", "stateless.a", "unused.a"]
    let all = (page + others).sorted().map { key in
      key == "menu.help"
        ? "\"menu.help\": { \"one\": \"\\u0022{count}\", \"other\": \"è\" }" : "\"\(key)\": \"x\""
    }
    files["Text/it.json"] = Self.bytes("{\n  \(all.joined(separator: ",\n  "))\n}\n")
    let pages = try WebPages(files)
    #expect(String(decoding: pages.documents[0].file.bytes, as: UTF8.self) == "login/")
    #expect(pages.shell.bytes.isEmpty)
    let path = "\(pages.assetsPath)/Text"
    #expect(pages.assets["\(path)/it.json"]?.bytes == files["Text/it.json"])
    let own = try #require(pages.assets["\(path)/login/it.json"])
    let object = try JSONSerialization.jsonObject(with: Data(own.bytes)) as? [String: Any]
    #expect(object?.keys.sorted() == page)
    #expect(object?["menu.help"] as? [String: String] == ["one": "\"{count}", "other": "è"])
    let worker = try #require(pages.worker)
    #expect(!String(decoding: worker.bytes, as: UTF8.self).contains("login/it"))
  }

  @Test("malformed texts are refused")
  func malformed() {
    var files = Self.files
    files["Text/it.json"] = Self.bytes("{\"a.b\": }")
    let error = #expect(throws: WebPagesError.self) { try WebPages(files) }
    #expect(error?.logText.contains("Text/it.json") == true)
  }

  /// The modules that a document links, by their path in the directory of the pages.
  private static func preloads(_ document: WebFile) -> [String] {
    String(decoding: document.bytes, as: UTF8.self)
      .matches(of: /modulepreload" href="\/assets\/[0-9a-f]+\/([^"]+)"/).map { String($0.1) }
  }

  @Test("the document has the operator's settings, whatever characters they contain")
  func settings() throws {
    var files = Self.files
    files["Shell/index.html"] = Self.bytes("<meta content=\"{contact}\"><meta content=\"{tiles}\">")
    let given = PageSettings(contact: "a&b@c.example", tilesAttribution: "© \"A\" <b>")
    let pages = try WebPages(files, settings: given)
    #expect(
      String(decoding: pages.shell.bytes, as: UTF8.self)
        == "<meta content=\"a&amp;b@c.example\"><meta content=\"© &quot;A&quot; &lt;b>\">")
    let without = try WebPages(files)
    #expect(
      String(decoding: without.shell.bytes, as: UTF8.self)
        == "<meta content=\"\"><meta content=\"\">")
  }

  @Test("the service worker stores all assets at once, except libraries", .tags(.UI_14))
  func worker() throws {
    var files = Self.files
    files["vendor/leaflet/leaflet.js"] = Self.bytes("// leaflet")
    let pages = try WebPages(files)
    let path = pages.assetsPath
    #expect(pages.assets["\(path)/vendor/leaflet/leaflet.js"] != nil)
    let stored = [
      "Client/dom.js", "Client/main.js", "Elements/frame.js", "Pages/login/login.js",
      "Pictures/a.png", "Text/it.json",
    ].map { "\(path)/\($0)" }.joined(separator: " ")
    let worker = try #require(pages.worker)
    #expect(
      String(decoding: worker.bytes, as: UTF8.self)
        == "const assets = \"\(path)\", files = \"\(stored)\";")
    #expect(worker.mediaType == "text/javascript; charset=utf-8")
  }

  @Test("pages without a document or a first module are refused")
  func missing() {
    for name in ["Shell/index.html", "Client/main.js"] {
      var files = Self.files
      files[name] = nil
      let error = #expect(throws: WebPagesError.self) { try WebPages(files) }
      #expect(error?.logText.contains(name) == true)
    }
  }

  @Test("gzip holds the same bytes, and is left out if it is not shorter")
  func compressed() throws {
    let pages = try WebPages(Self.files)
    let page = try #require(pages.assets["\(pages.assetsPath)/Pages/login/login.js"])
    let compressed = try #require(page.compressed)
    #expect(compressed.count < 100)
    #expect(try Self.inflated(compressed, count: page.bytes.count) == page.bytes)
    #expect(pages.assets["\(pages.assetsPath)/Text/it.json"]?.compressed == nil)
    #expect(pages.assets["\(pages.assetsPath)/Pictures/a.png"]?.compressed == nil)
  }

  @Test("the pages of this repository are found above a program, and complete", .tags(.UI_14))
  func committed() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    let directory = try #require(WebPages.directory(from: "\(root)/.build/release"))
    #expect(directory == "\(root)/Sources/WebApp")
    let pages = try WebPages.read(from: directory, log: .none)
    let paths = Self.paths(pages)
    #expect(paths.isSuperset(of: ["Client/main.js", "Text/it.json", "Text/en.json"]))
    let shell = String(decoding: pages.shell.bytes, as: UTF8.self)
    for match in shell.matches(of: /"(\/assets\/[^"]+)"/) {
      #expect(pages.assets[String(match.1)] != nil, "\(match.1)")
    }
    #expect(!shell.contains("{"))
    let routes = try String(contentsOfFile: "\(directory)/Client/routes.js", encoding: .utf8)
    #expect(pages.documents.count == routes.matches(of: /=> import\(/).count)
    for document in pages.documents {
      #expect(Self.preloads(document.file).contains { $0.hasPrefix("Pages/") })
      let page = String(decoding: document.file.bytes, as: UTF8.self)
      let folder = try #require(page.firstMatch(of: /trackme-texts" content="([^"]+\/)"/)?.1)
      #expect(paths.isSuperset(of: ["Text/\(folder)it.json", "Text/\(folder)en.json"]))
      // The service worker stores the document of an address that no page has.
      #expect(!document.address.matches(Self.bytes("/app/offline")[...]))
    }
    // Pages whose modules have one name would share one folder of texts.
    let modules = Set(routes.matches(of: /import\("\.\.\/(Pages\/[^"]+)"\)/).map { $0.1 })
    #expect(Set(modules.map { $0.split(separator: "/").last }).count == modules.count)
    let worker = String(decoding: try #require(pages.worker).bytes, as: UTF8.self)
    #expect(worker.contains("const root = \"\(pages.assetsPath)\";"))
    // A template literal of the script must not be taken for a placeholder.
    #expect(worker.matches(of: /\{(assets|files|preloads)\}|\$\//).isEmpty)
  }

  @Test("a directory without pages is an error with its path")
  func unreadable() throws {
    #expect(WebPages.directory(from: "/proc/self") == nil)
    let error = #expect(throws: WebPagesError.self) {
      try WebPages.read(from: "/nowhere/at/all", log: .none)
    }
    #expect(error?.logText.contains("/nowhere/at/all") == true)
  }

  /// Undoes gzip through zlib's own reader.
  private static func inflated(_ bytes: [UInt8], count: Int) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count + 1)
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    defer { unsafe stream.deallocate() }
    let begun = unsafe inflateInit2_(
      stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    try #require(begun == Z_OK)
    defer { unsafe inflateEnd(stream) }
    var ended = Z_OK
    unsafe bytes.withUnsafeBufferPointer { source in
      unsafe output.withUnsafeMutableBufferPointer { target in
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(source.count)
        unsafe stream.pointee.next_out = target.baseAddress
        unsafe stream.pointee.avail_out = UInt32(target.count)
        ended = unsafe inflate(stream, Z_FINISH)
      }
    }
    try #require(ended == Z_STREAM_END)
    return unsafe Array(output.prefix(Int(stream.pointee.total_out)))
  }
}
