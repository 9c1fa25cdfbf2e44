import Foundation
import Requirements
import Support
import Testing

@Suite("Foreign key files at the start of each process")
struct KeyFileJourney {
  /// A foreign root secret and master key: each name is derived from its key by HKDF.
  private static let foreignRoot =
    "trackme-root-secret-1 347ea00d69404e9a \(String(repeating: "11", count: 32))\n"
  private static let foreignMaster =
    "trackme-master-key-1 388ded20a727ae14 \(String(repeating: "22", count: 32))\n"
  private static let foreignPush =
    "trackme-push-key-1 cabc0f43de671e78 \(String(repeating: "33", count: 32))\n"

  private func file(_ system: TestSystem, _ text: String, mode: Int = 0o600) throws -> String {
    let path = "\(system.directory)/\(UUID().uuidString).key"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  private func own(_ system: TestSystem, _ name: String) throws -> String {
    try String(contentsOfFile: "\(system.state)/keys/\(name)", encoding: .utf8)
  }

  /// Starts a second instance of a program and waits for its end.
  private func start(
    _ program: String, of system: TestSystem, _ variables: [String: String]
  ) async throws -> Program.Outcome {
    let databases = "\(system.state)/keys/database/\(program)"
    let nobody = "unix:\(system.directory)/nobody.sock"
    let environment = [
      "TRACKME_STATE": system.state, "TRACKME_DATABASE_URL_FILE": "\(databases).trackme.url",
      "TRACKME_KEYS_DATABASE_URL_FILE": "\(databases).trackme_keys.url",
      "TRACKME_LISTEN": "unix:\(system.directory)/\(UUID().uuidString.prefix(8)).sock",
      "TRACKME_DATA4HELP_ADDRESSES": nobody, "TRACKME_TRACK4RUN_ADDRESSES": nobody,
      "TRACKME_HTTP_PORT": "\(try FreePorts.take())",
      "TRACKME_HTTPS_PORT": "\(try FreePorts.take())",
      "TRACKME_METRICS_PORT": "\(try FreePorts.take())",
    ]
    let variables = environment.merging(variables) { $1 }.filter {
      program == "data4help" || $0.key != "TRACKME_KEYS_DATABASE_URL_FILE"
    }
    return try await Program(
      command: ["timeout", "60", "\(TestSystem.programs)/\(program)"], environment: variables
    ).run()
  }

  /// The program's output without its log lines.
  private func plainLines(_ outcome: Program.Outcome) -> [String] {
    outcome.output.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("{") }
  }

  @Test(
    "every process refuses a foreign root secret with one plain line", .tags(.NFR_5),
    arguments: ["gateway", "data4help", "track4run"])
  func foreignRoot(_ program: String) async throws {
    let system = try await TestSystem.shared()
    let path = try file(system, Self.foreignRoot)
    let outcome = try await start(program, of: system, ["TRACKME_ROOT_SECRET_FILE": path])
    #expect(outcome.status == 1)
    let lines = plainLines(outcome)
    #expect(lines.count == 1, "\(outcome.output)")
    #expect(lines.first?.contains("\(path) belongs to another installation") == true)
    #expect(lines.first?.contains("347ea00d69404e9a") == true)
    #expect(!outcome.output.contains("1111111111"))
  }

  @Test(
    "every process refuses a file with a foreign root secret in front of its own", .tags(.OPS_6),
    arguments: ["gateway", "data4help", "track4run"])
  func foreignRootInFront(_ program: String) async throws {
    let system = try await TestSystem.shared()
    let path = try file(system, Self.foreignRoot + (try own(system, "root.secret")))
    let outcome = try await start(program, of: system, ["TRACKME_ROOT_SECRET_FILE": path])
    #expect(outcome.status == 1)
    let lines = plainLines(outcome)
    #expect(lines.count == 1, "\(outcome.output)")
    #expect(lines.first?.contains("\(path) belongs to another installation") == true)
  }

  @Test("a command accepts a file with a further root secret after its own", .tags(.OPS_6))
  func furtherRootBehind() async throws {
    let system = try await TestSystem.shared()
    let path = try file(system, (try own(system, "root.secret")) + Self.foreignRoot)
    let command = ["hospitals", "approve", "nobody@example.org"]
    let usual = try await system.trackme(command, with: [:])
    let outcome = try await system.trackme(command, with: ["TRACKME_ROOT_SECRET_FILE": path])
    #expect(outcome.output == usual.output)
    #expect(!outcome.output.contains("belongs to another installation"))
  }

  @Test("commands that use the root secret refuse a foreign one", .tags(.NFR_5))
  func commands() async throws {
    let system = try await TestSystem.shared()
    let path = try file(system, Self.foreignRoot)
    for arguments in [["audit", "verify"], ["hospitals", "approve", "nobody@example.org"]] {
      let outcome = try await system.trackme(
        arguments, with: ["TRACKME_ROOT_SECRET_FILE": path])
      #expect(outcome.status == 1)
      #expect(outcome.output.contains("belongs to another installation"), "\(outcome.output)")
      #expect(outcome.output.split(separator: "\n").count == 1)
    }
  }

  @Test("data4help refuses a foreign master key, and the installation continues", .tags(.NFR_5))
  func foreignMaster() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let path = try file(system, Self.foreignMaster)
    let outcome = try await start(
      "data4help", of: system, ["TRACKME_MASTER_KEY_FILE": path])
    #expect(outcome.status == 1)
    let lines = plainLines(outcome)
    #expect(lines.count == 1, "\(outcome.output)")
    #expect(lines.first?.contains("\(path) lacks a master key") == true)
    // The first key is a new one: rotation adds it, and a refused start does not store it.
    let stored = try await system.superuser(
      "SELECT string_agg(identifier, ' ') FROM master_keys", in: "trackme_keys")
    #expect(try own(system, "master.key").contains(" \(stored) "))
    #expect(try await user.get("/settings/single").outcome == .ok)
  }

  @Test(
    "data4help and the commands on keys refuse the keys' database of another installation",
    .tags(.NFR_5))
  func foreignKeysDatabase() async throws {
    let system = try await TestSystem.shared()
    // What a process reads first in the keys' database of another installation.
    _ = try await system.superuser("CREATE DATABASE foreign_keys")
    _ = try await system.superuser(
      """
      CREATE TABLE installations (root_secret text NOT NULL);
      INSERT INTO installations VALUES ('347ea00d69404e9a');
      GRANT SELECT ON installations TO data4help
      """, in: "foreign_keys")
    let urls = "\(system.state)/keys/database/data4help"
    let url = try String(contentsOfFile: "\(urls).trackme_keys.url", encoding: .utf8)
    let variables = [
      "TRACKME_DATABASE_URL_FILE": "\(urls).trackme.url",
      "TRACKME_KEYS_DATABASE_URL_FILE": try file(
        system, url.replacing("/trackme_keys", with: "/foreign_keys")),
    ]
    let outcome = try await start("data4help", of: system, variables)
    #expect(outcome.status == 1)
    let lines = plainLines(outcome)
    #expect(lines.count == 1, "\(outcome.output)")
    #expect(
      lines.first?.hasPrefix("The keys' database belongs to another installation: ") == true)
    #expect(lines.first?.contains("347ea00d69404e9a") == true)
    for arguments in [["audit", "verify"], ["keys", "rotate", "master"]] {
      let refused = try await system.trackme(arguments, with: variables)
      #expect(refused.status == 1)
      #expect(refused.output.contains("belongs to another installation"), "\(refused.output)")
      #expect(refused.output.split(separator: "\n").count == 1)
    }
  }

  @Test("data4help refuses a foreign key for push services", .tags(.NFR_5, .NTF_2))
  func foreignPush() async throws {
    let system = try await TestSystem.shared()
    let path = try file(system, Self.foreignPush)
    let outcome = try await start("data4help", of: system, ["TRACKME_PUSH_KEY_FILE": path])
    #expect(outcome.status == 1)
    let lines = plainLines(outcome)
    #expect(lines.count == 1, "\(outcome.output)")
    #expect(lines.first?.contains("\(path) belongs to another installation") == true)
    #expect(lines.first?.contains("cabc0f43de671e78") == true)
    let stored = try await system.superuser("SELECT identifier FROM trackme.push_keys")
    #expect(try own(system, "push.key").contains(" \(stored) "))
  }

  @Test(
    "a key file readable by others is refused with the command that protects it", .tags(.NFR_5),
    arguments: [
      ("gateway", "root.secret", 0o640), ("track4run", "root.secret", 0o604),
      ("data4help", "root.secret", 0o620), ("data4help", "master.key", 0o644),
      ("data4help", "push.key", 0o640),
    ])
  func exposed(_ program: String, _ name: String, _ mode: Int) async throws {
    let system = try await TestSystem.shared()
    let path = try file(system, try own(system, name), mode: mode)
    let variables = [
      "master.key": "TRACKME_MASTER_KEY_FILE", "root.secret": "TRACKME_ROOT_SECRET_FILE",
      "push.key": "TRACKME_PUSH_KEY_FILE",
    ]
    let variable = try #require(variables[name])
    let outcome = try await start(program, of: system, [variable: path])
    #expect(outcome.status == 1)
    #expect(
      plainLines(outcome) == [
        "The key file \(path) is open to other users: run `chmod 600 \(path)`."
      ], "\(outcome.output)")
  }

  @Test("the databases store the names of the keys, but not the keys", .tags(.NFR_5))
  func names() async throws {
    let system = try await TestSystem.shared()
    let root = try await system.superuser("SELECT identifier FROM trackme.root_secrets")
    let line = try own(system, "root.secret").split(separator: "\n").last ?? ""
    let words = line.split(separator: " ")
    #expect(words.count == 3 && root == words[1])
    #expect(root.count == 16)
  }
}
