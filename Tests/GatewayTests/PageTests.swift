import Gateway
import HTTP
import Operations
import Requirements
import Support
import Testing
import WebApp

private let files: [String: [UInt8]] = [
  "Shell/index.html": Array("<!doctype html><script src=\"{assets}/Client/main.js\">".utf8),
  "Shell/worker.js": Array("skipWaiting();".utf8),
  "Client/main.js": Array(String(repeating: "main();\n", count: 200).utf8),
  "Text/it.json": Array("{}".utf8),
]

@Suite("Web pages")
struct PageTests {
  private static let origin = "https://trackme.example"
  private static let browser = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8")

  /// Runs `body` with a gateway that has pages, and the path of its assets.
  private func with(_ body: (SecureGateway, String) async throws -> Void) async throws {
    let pages = try WebPages(files)
    let answers = PageAnswers(pages, secureOrigin: Self.origin)
    try await SecureGateway.with(pages: answers) { try await body($0, pages.assetsPath) }
  }

  @Test("every address of the application has a document")
  func shell() async throws {
    try await with { secure, assets in
      for path in ["/app", "/app/", "/app/health", "/app/runs/DEMO2026?tab=map"] {
        let page = try await secure.send(.get, path)
        #expect(page.head.status == .ok, "\(path)")
        #expect(page.text == "<!doctype html><script src=\"\(assets)/Client/main.js\">")
        #expect(page.head.fields[.contentType] == "text/html; charset=utf-8")
        #expect(page.head.fields[.cacheControl] == "no-cache")
        #expect(page.head.fields[.vary] == "Accept-Encoding")
        #expect(page.head.fields[.etag] != nil)
        #expect(page.head.fields[.requestID] != nil)
      }
      #expect(secure.replica.arrivals.isEmpty)
    }
  }

  @Test("a known address has the document with the links of its page", .tags(.UI_14))
  func documents() async throws {
    var files = files
    files["Shell/index.html"] = Array("{preloads}".utf8)
    files["Client/routes.js"] = Array(
      """
      { path: "/", load: () => import("../Pages/welcome.js"), },
      { path: "/app/runs/:code", load: () => import("../Pages/run.js"), },
      """.utf8)
    for name in ["welcome", "run"] { files["Pages/\(name).js"] = Array("// \(name)".utf8) }
    let answers = PageAnswers(try WebPages(files), secureOrigin: Self.origin)
    try await SecureGateway.with(pages: answers) { secure in
      let expected = [
        "/": "/Pages/welcome.js", "/app/runs/DEMO2026?tab=map": "/Pages/run.js",
        "/app/unknown": "/Client/main.js",
      ]
      var tags: Set<String> = []
      for (path, module) in expected {
        let page = try await secure.send(.get, path, fields: [Self.browser])
        #expect(page.text.hasSuffix("\(module)\">"), "\(path): \(page.text)")
        tags.insert(try #require(page.head.fields[.etag]))
      }
      #expect(tags.count == expected.count)
    }
  }

  @Test("the start page is the application for browsers, and the API's page for other clients")
  func home() async throws {
    try await with { secure, _ in
      let page = try await secure.send(.get, "/", fields: [Self.browser])
      #expect(page.text.hasPrefix("<!doctype html><script"))
      #expect(page.head.fields[.vary] == "Accept, Accept-Encoding")
      let docs = try await secure.send(.get, "/docs", fields: [Self.browser])
      for fields in [[], [("accept", "*/*")], [("accept", "application/json")]] {
        let other = try await secure.send(.get, "/", fields: fields)
        #expect(other.text == docs.text)
        #expect(other.head.fields[.vary] == "Accept")
      }
    }
  }

  @Test("an unknown path is a page for browsers, and a problem for other clients", .tags(.GW_1))
  func unknownPath() async throws {
    try await with { secure, _ in
      let app = try await secure.send(.get, "/app", fields: [Self.browser])
      for path in ["/nowhere", "/data/nothing", "/r"] {
        let page = try await secure.send(.get, path, fields: [Self.browser])
        #expect(page.head.status == .notFound)
        #expect(page.text == app.text)
        #expect(page.head.fields[.etag] == nil)
        #expect(page.head.fields[.vary] == "Accept, Accept-Encoding")
        #expect(page.head.fields.contains(.contentSecurityPolicy))
        let other = try await secure.send(.get, path)
        #expect(other.head.status == .notFound)
        #expect(other.member("detail")?.contains("/docs") == true)
        #expect(other.head.fields[.vary] == "Accept")
        let head = try await secure.send(.head, path, fields: [Self.browser])
        #expect(head.head.status == .notFound && head.body.isEmpty)
      }
      let change = try await secure.send(.post, "/nowhere", fields: [Self.browser])
      #expect(change.member("detail")?.contains("/docs") == true)
    }
  }

  @Test("pages and files restrict what the browser lets them do")
  func fields() async throws {
    try await with { secure, assets in
      for path in ["/app", "\(assets)/Client/main.js", "/worker.js"] {
        let fields = try await secure.send(.get, path).head.fields
        let policy = try #require(fields[.contentSecurityPolicy])
        #expect(
          policy.split(separator: "; ") == [
            "default-src 'none'", "script-src 'self'", "style-src 'self'",
            "img-src 'self' data:", "connect-src 'self'", "font-src 'self'",
            "manifest-src 'self'", "worker-src 'self'", "form-action 'self'", "base-uri 'none'",
            "frame-ancestors 'none'", "require-trusted-types-for 'script'",
            "trusted-types trackme",
          ])
        let permissions = try #require(fields["permissions-policy"])
        #expect(permissions.hasPrefix("geolocation=(self), camera=(self), "))
        #expect(permissions.contains("microphone=()"))
        #expect(fields[.xContentTypeOptions] == "nosniff")
        #expect(fields[.referrerPolicy] == "same-origin")
        #expect(fields["cross-origin-opener-policy"] == "same-origin")
        #expect(fields[.strictTransportSecurity] == "max-age=31536000")
      }
    }
  }

  @Test("browsers keep a file for ever, and every change has another path", .tags(.UI_14))
  func immutable() async throws {
    try await with { secure, assets in
      let path = "\(assets)/Client/main.js"
      let file = try await secure.send(.get, path)
      #expect(file.head.status == .ok)
      #expect(file.body == files["Client/main.js"])
      #expect(file.head.fields[.contentType] == "text/javascript; charset=utf-8")
      #expect(file.head.fields[.cacheControl] == "public, max-age=31536000, immutable")
      #expect(file.head.fields[.vary] == "Accept-Encoding")
      let tag = try #require(file.head.fields[.etag])
      #expect(tag.hasPrefix("\""))
      let again = try await secure.send(.get, path, fields: [("if-none-match", tag)])
      #expect(again.head.status == .notModified)
      #expect(again.body.isEmpty)
      #expect(again.head.fields[.etag] == tag)
      let head = try await secure.send(.head, path)
      #expect(head.head.status == .ok)
      #expect(head.head.contentLength == UInt64(file.body.count))
      #expect(head.body.isEmpty)
    }
  }

  @Test("gzip is sent to clients that accept it, under a tag of its own", .tags(.UI_14))
  func compressed() async throws {
    try await with { secure, assets in
      let path = "\(assets)/Client/main.js"
      let plain = try await secure.send(.get, path)
      for coding in ["gzip", "br, GZIP;q=0.5", "*", "deflate, *;q=0.1"] {
        let coded = try await secure.send(.get, path, fields: [("accept-encoding", coding)])
        #expect(coded.head.fields[.contentEncoding] == "gzip", "\(coding)")
        #expect(coded.body.starts(with: [0x1F, 0x8B]))
        #expect(coded.body.count < plain.body.count / 2)
        #expect(coded.head.fields[.etag] != plain.head.fields[.etag])
        let tag = try #require(coded.head.fields[.etag])
        let again = try await secure.send(
          .get, path, fields: [("accept-encoding", coding), ("if-none-match", tag)])
        #expect(again.head.status == .notModified)
        let other = try await secure.send(.get, path, fields: [("if-none-match", tag)])
        #expect(other.head.status == .ok)
      }
      for coding in ["", "identity", "gzip;q=0", "br", "gzip;q=0.000, *"] {
        let other = try await secure.send(.get, path, fields: [("accept-encoding", coding)])
        #expect(other.head.fields[.contentEncoding] == nil, "\(coding)")
        #expect(other.body == plain.body)
      }
      let small = try await secure.send(
        .get, "\(assets)/Text/it.json", fields: [("accept-encoding", "gzip")])
      #expect(small.head.fields[.contentEncoding] == nil)
    }
  }

  @Test("the service worker is at the root, so that it may control every page")
  func worker() async throws {
    try await with { secure, _ in
      let worker = try await secure.send(.get, "/worker.js")
      #expect(worker.text == "skipWaiting();")
      #expect(worker.head.fields[.cacheControl] == "no-cache")
      #expect(worker.head.fields[.contentType] == "text/javascript; charset=utf-8")
    }
  }

  @Test("the icon of pages that name none is a picture of the assets")
  func icon() async throws {
    var files = files
    files["Pictures/trackme-192.png"] = Array("picture".utf8)
    let answers = PageAnswers(try WebPages(files), secureOrigin: Self.origin)
    try await SecureGateway.with(pages: answers) { secure in
      let icon = try await secure.send(.get, "/favicon.ico")
      #expect(icon.head.status == .ok)
      #expect(icon.text == "picture")
      #expect(icon.head.fields[.contentType] == "image/png")
      #expect(icon.head.fields[.cacheControl] == "no-cache")
    }
  }

  @Test("other files do not exist, and no path leaves the table", .tags(.GW_1))
  func unknown() async throws {
    try await with { secure, assets in
      for path in [
        "/assets/", "\(assets)", "\(assets)/", "\(assets)/Client", "\(assets)/Client/none.js",
        "\(assets)/Shell/index.html", "\(assets)/Shell/worker.js", "/assets/Client/main.js",
        "/assets/00000000000000000000/Client/main.js", "\(assets)/client/main.js",
        "\(assets)/WebApp.swift",
      ] {
        let reply = try await secure.send(.get, path)
        #expect(reply.head.status == .notFound, "\(path)")
        #expect(reply.error == "Not found")
      }
      for path in [
        "\(assets)/../../../etc/passwd", "\(assets)/%2e%2e/main.js", "\(assets)/Client%2Fmain.js",
        "\(assets)//etc/passwd", "/app/../docs", "\(assets)/Client/main.js%00",
        "\(assets)/Client\\main.js",
      ] {
        let reply = try await secure.send(.get, path)
        #expect(reply.head.status == .badRequest, "\(path)")
      }
      for path in ["/apple", "/application", "/assetsx", "/worker.js/x"] {
        #expect(try await secure.send(.get, path).head.status == .notFound)
      }
    }
  }

  @Test("other methods are refused with the supported ones", .tags(.GW_1))
  func methods() async throws {
    try await with { secure, _ in
      let post = try await secure.send(.post, "/app/health", json: "{}")
      #expect(post.head.status == .methodNotAllowed)
      #expect(post.head.fields[.allow] == "GET, HEAD, OPTIONS")
      let options = try await secure.send(.options, "/app")
      #expect(options.head.status == .noContent)
      #expect(options.head.fields[.allow] == "GET, HEAD, OPTIONS")
    }
  }

  @Test("the plain port sends browsers to the HTTPS port, and serves the API")
  func redirect() async throws {
    let pages = PageAnswers(try WebPages(files), secureOrigin: Self.origin)
    let gateway = try await TestGateway.start(data4help: [], pages: pages)
    for path in ["/app", "/app/runs/X?tab=map&a=%20", "/worker.js", "/?a=b", "/nowhere"] {
      let reply = try await gateway.send(.get, path, fields: [Self.browser])
      #expect(reply.head.status == .permanentRedirect, "\(path)")
      #expect(reply.head.fields[.location] == Self.origin + path)
      #expect(reply.head.fields[.cacheControl] == "no-store")
      #expect(reply.body.isEmpty)
    }
    let home = try await gateway.send(.get, "/")
    let docs = try await gateway.send(.get, "/docs")
    #expect(home.head.status == .ok)
    #expect(home.text == docs.text)
    #expect(try await gateway.send(.get, "/health").head.status == .ok)
    await gateway.stop()
  }

  @Test("a gateway without pages reports it, and serves the API's page")
  func none() async throws {
    try await SecureGateway.with { secure in
      for path in ["/app", "/assets/x/Client/main.js", "/worker.js", "/nowhere"] {
        let reply = try await secure.send(.get, path, fields: [Self.browser])
        #expect(reply.head.status == .notFound)
        #expect(reply.member("detail")?.contains("no web pages") == true)
      }
      let home = try await secure.send(.get, "/", fields: [Self.browser])
      #expect(home.text.contains("TrackMe API"))
      #expect(!home.head.fields.contains(.vary))
    }
  }

  @Test("browsers are not required to use TLS on localhost")
  func local() async throws {
    let pages = PageAnswers(try WebPages(files), secureOrigin: Self.origin)
    try await SecureGateway.with(pages: pages, demandsTLS: false) { secure in
      for path in ["/app", "/health"] {
        let reply = try await secure.send(.get, path)
        #expect(reply.head.status == .ok)
        #expect(!reply.head.fields.contains(.strictTransportSecurity))
      }
    }
  }

  @Test("requests for pages are logged as such, without their path")
  func logged() async throws {
    try await with { secure, _ in
      let page = try await secure.send(.get, "/app/runs/SECRET42")
      let id = try #require(page.head.fields[.requestID])
      let line = try await eventually("the line of the access log") {
        secure.gateway.log.lines.first { $0.contains(id) }
      }
      #expect(line.contains("\"endpoint\":\"page\",\"status\":200"))
      #expect(!line.contains("SECRET42"))
    }
  }
}
