import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("Web pages and their session, through the gateway")
struct PageJourney {
  private static func login(_ person: Person) -> JSONValue {
    [
      "email": .text(person.email), "password": .text(People.password), "replace": true,
      "cookie": true,
    ]
  }

  @Test(
    "a page logs in without seeing the token, acts by its cookie, and logs out",
    .tags(.ACC_7, .GW_3), arguments: [PublicClient.Way.http1, .http2])
  func cookie(_ way: PublicClient.Way) async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser(way)
    let own = ("origin", "https://localhost:\(system.httpsPort)")
    func post(
      _ path: String, _ document: JSONValue, _ fields: [(String, String)]
    ) async throws -> Reply {
      try await user.client.send(
        .post, path, body: document.bytes, mediaType: "application/json", fields: fields)
    }
    let foreign = try await post(
      "/auth/login", Self.login(user.person), [("sec-fetch-site", "cross-site")])
    #expect(foreign.outcome == Outcome(403, "Wrong origin"))
    let login = try await post("/auth/login", Self.login(user.person), [own])
    #expect(login.outcome == .ok)
    #expect(login.json.authToken == .null)
    #expect(login.json.accountType == "single")
    let set = try #require(login.fields[.setCookie])
    #expect(set.hasPrefix("__Host-trackme="))
    #expect(set.hasSuffix("; Max-Age=2592000; Path=/; Secure; HttpOnly; SameSite=Strict"))
    let cookie = ("cookie", String(set.prefix { $0 != ";" }))

    let me = try await user.client.get("/auth/me", fields: [cookie])
    #expect(me.json.fc.text == user.person.fiscalCode)
    let types: JSONValue = ["types": ["steps"], "enabled": [true]]
    let forged = try await post("/settings/single/data", types, [cookie])
    #expect(forged.outcome == Outcome(403, "Wrong origin"))
    #expect(try await post("/settings/single/data", types, [cookie, own]).outcome == .ok)
    let both = try await user.client.get("/auth/me", token: user.token, fields: [cookie])
    #expect(both.outcome == .malformed)

    let logout = try await post("/auth/logout", [:], [cookie, own])
    #expect(logout.outcome == .ok)
    #expect(logout.fields[.setCookie]?.hasPrefix("__Host-trackme=; Max-Age=0; ") == true)
    let late = try await user.client.get("/auth/me", fields: [cookie])
    #expect(late.outcome == Outcome(401, "Wrong token"))
  }

  @Test("without TLS no cookie is set and none is accepted", .tags(.GW_3))
  func plain() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let login = try await user.client.post("/auth/login", Self.login(user.person))
    #expect(login.outcome == .malformed)
    #expect(login.field == "cookie")
    let cookie = ("cookie", "__Host-trackme=\(user.token)")
    let me = try await user.client.get("/auth/me", fields: [cookie])
    #expect(me.outcome == Outcome(401, "Wrong token"))
  }

  @Test("curl keeps the cookie and sends it again, as a browser does", .tags(.GW_3))
  func curl() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let jar = "\(system.directory)/cookies-\(UUID().uuidString)"
    func call(_ path: String, _ more: String...) async throws -> String {
      let command = [
        "curl", "--silent", "--show-error", "--cacert", system.state + "/tls/certificate.pem",
        "--cookie", jar, "--cookie-jar", jar, "--header", "Sec-Fetch-Site: same-origin",
      ]
      let address = "https://localhost:\(system.httpsPort)\(path)"
      return try await Program(command: command + more + [address]).run().output
    }
    let body = String(decoding: Self.login(user.person).bytes, as: UTF8.self)
    let login = try await call("/auth/login", "--json", body)
    #expect(login.contains("Login successful") && !login.contains("authToken"))
    #expect(try await call("/auth/me").contains(user.person.fiscalCode))
    #expect(try await call("/auth/logout", "--json", "{}").contains("Action successful"))
    #expect(try await call("/auth/me").contains("Wrong token"))
    let kept = try String(contentsOfFile: jar, encoding: .utf8)
    #expect(!kept.contains("__Host-trackme"))
  }

  @Test(
    "every file of the first page is available, compressed, and cached under its path",
    .tags(.UI_14))
  func files() async throws {
    let system = try await TestSystem.shared()
    let client = try PublicClient(system, .http2)
    let page = try await client.get("/app/login", fields: [("accept", "text/html")])
    #expect(page.status == 200)
    let policy = try #require(page.fields[.contentSecurityPolicy])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; "))
    // The certificate is for localhost, which belongs to every program of the machine.
    #expect(!page.fields.contains(.strictTransportSecurity))
    let start = try await client.get("/", fields: [("accept", "text/html")])
    let same = try await client.get("/app", fields: [("accept", "text/html")])
    #expect(start.text == same.text)
    // Each document links the modules of its own page.
    #expect(page.text.contains("/Pages/login/login.js\""))
    #expect(!start.text.contains("/Pages/login/login.js\""))
    let paths = Set(page.text.matches(of: /"(\/assets\/[^"]+)"/).map { String($0.1) })
    #expect(paths.count > 10)
    for path in paths {
      let file = try await client.get(path, fields: [("accept-encoding", "gzip")])
      #expect(file.status == 200, "\(path)")
      #expect(file.fields[.cacheControl] == "public, max-age=31536000, immutable")
    }
    let assets = try #require(paths.first).split(separator: "/").prefix(2).joined(separator: "/")
    for name in ["leaflet/leaflet.css", "leaflet/leaflet.js", "chart.js/chart.js"] {
      let library = try await client.get("/\(assets)/vendor/\(name)")
      #expect(library.status == 200, "\(name)")
    }
  }

  @Test("the plain port sends browsers to the HTTPS port", .tags(.UI_14))
  func redirect() async throws {
    let system = try await TestSystem.shared()
    let reply = try await PublicClient(system).get("/app/login", fields: [("accept", "text/html")])
    #expect(reply.status == 308)
    #expect(reply.fields[.location] == "https://localhost:\(system.httpsPort)/app/login")
  }
}
