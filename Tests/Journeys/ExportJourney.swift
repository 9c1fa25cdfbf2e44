import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("The archive of all data of an account, through the gateway")
struct ExportJourney {
  /// Reads an archive with independent parsers and prints its content.
  private static let reader = """
    import csv, io, json, sys, zipfile
    import xml.etree.ElementTree as xml
    from fhir.resources.R4B.bundle import Bundle
    with zipfile.ZipFile(sys.argv[1]) as archive:
        assert archive.testzip() is None
        readme = archive.read("README.txt").decode()
        for name in archive.namelist():
            text = archive.read(name).decode()
            named = name if "/" not in name or not name.endswith(".csv") else "samples/*.csv"
            assert name == "README.txt" or readme.count(named + ":") == 2, name
            if name.endswith(".fhir.json"):
                count = len(Bundle.model_validate_json(text).entry)
                print(f"{name} {count}")
            elif name.endswith(".json"):
                print(f"{name} {json.dumps(json.loads(text), ensure_ascii=False)}")
            elif name.endswith(".csv"):
                rows = list(csv.DictReader(io.StringIO(text)))
                print(f"{name} {[row['value'] + ' ' + row['timestamp'] for row in rows]}")
            elif name.endswith(".gpx"):
                space = "{http://www.topografix.com/GPX/1/1}"
                points = [
                    point.get("lat") + " " + point.get("lon") + " " + point[0].text
                    for point in xml.fromstring(text).iter(space + "trkpt")]
                print(f"{name} {points}")
    """

  /// The reader's output for an archive, by file.
  private static func contents(
    of reply: Reply, _ system: TestSystem
  ) async throws -> [String: String] {
    try #require(reply.outcome == .ok, "\(reply.text)")
    #expect(reply.fields["content-type"] == "application/zip")
    #expect(reply.fields["cache-control"] == "no-store")
    let path = "\(system.directory)/archive-\(UUID().uuidString).zip"
    try Data(reply.body).write(to: URL(filePath: path))
    let test = try await Program(command: ["unzip", "-t", path]).run()
    #expect(test.isSuccess, "\(test.output)")
    let outcome = try await Program(command: [TestSystem.python, "-c", reader, path]).run()
    try #require(outcome.isSuccess, "\(outcome.output)")
    let lines = outcome.output.split(separator: "\n").map {
      $0.split(separator: " ", maxSplits: 1).map(String.init)
    }
    return Dictionary(uniqueKeysWithValues: lines.map { ($0[0], $0.count > 1 ? $0[1] : "") })
  }

  /// A person with data of every kind and a second person, both with requests from one company.
  private struct Planted {
    let user: SingleUser
    let stranger: SingleUser
    let party: ThirdParty
    let request: String

    init(_ system: TestSystem) async throws {
      user = try await system.singleUser()
      stranger = try await system.singleUser()
      party = try await system.thirdParty()
      let joined = try await user.join(
        try await party.listedRun(), ["runnerName": "Runner of the archive"])
      #expect(joined.outcome == .ok, "\(joined.text)")
      let profile: JSONValue = [
        "password": .text(People.password), "phone": "+39 02 7654321",
        "address": "Via dell'Archivio 7", "occupation": "student",
        "diseases": [["code": "E11.9", "drugs": [["name": "Metformina", "dosesPerDay": 2]]]],
      ]
      #expect(try await user.post("/settings/single/info", profile).outcome == .ok)
      _ = try await user.pair("Watch of the archive")
      try await user.upload(
        "heartRate", [("2024-01-15T10:00:00Z", 61.25), ("2024-01-15T11:00:00Z", 62)])
      try await user.upload("ecg", [("2024-01-15T10:00:00Z", "atrial fibrillation")])
      // The later sample is stored first.
      try await user.upload("position", [("2024-01-15T10:05:00Z", "-33.9,18.45")])
      try await user.upload("position", [("2024-01-15T10:00:00Z", "-33.95,18.4")])
      try await stranger.upload("heartRate", [("2024-01-15T10:00:00Z", 77.125)])
      let export = "<?xml version=\"1.0\"?><HealthData></HealthData>"
      let started = try await user.client.send(
        .post, "/data/import?format=apple-health", token: user.token, body: Array(export.utf8),
        mediaType: "application/xml")
      #expect(started.status == 202)
      request = try await party.ask(user, for: ["heartRate"])
      let other = try await party.ask(stranger, for: ["heartRate"])
      for (person, request) in [(user, request), (stranger, other)] {
        let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
        #expect(try await person.post("/req/single/choice", choice).outcome == .ok)
        #expect(try await party.get("/req/tp/data?reqID=\(request)").outcome == .ok)
      }
      let allowed: JSONValue = ["email": .text(party.company.email), "allowed": true]
      #expect(try await user.post("/settings/single/preconfirmed", allowed).outcome == .ok)
    }
  }

  @Test(
    "the archive contains all data of the account in standard formats, and none of others",
    .tags(.ACC_11, .NFR_6))
  func person() async throws {
    let system = try await TestSystem.shared()
    let planted = try await Planted(system)
    let files = try await Self.contents(of: try await planted.user.get("/auth/export"), system)
    let person = planted.user.person
    let expected = [
      "account.json": [person.email, person.fiscalCode],
      "profile.json": [
        person.name, "+39027654321", "Via dell'Archivio 7", "student", "diabetes", "Metformina",
      ],
      "consents.json": ["consents"],
      "data-types.json": ["heartRate"],
      "devices.json": ["Watch of the archive"],
      "sessions.json": ["login", "device"],
      "requests.json": [planted.request, planted.party.company.name, "accepted"],
      "preconfirmed.json": [planted.party.company.name],
      "accesses.json": [planted.request, planted.party.company.name],
      "notices.json": [planted.request],
      "push.json": ["publicKey"],
      "room.json": ["bytesUsed"],
      "sos.json": ["heartRateHigh"],
      "emergencies.json": ["episodes"],
      "runs.json": ["Runner of the archive", planted.party.company.name],
      "imports.json": ["importID"],
      "samples/heartRate.csv": ["61.25 2024-01-15T10:00:00", "62 2024-01-15T11:00:00"],
      "samples/ecg.csv": ["atrial fibrillation"],
      "samples/position.csv": ["-33.9,18.45", "-33.95,18.4"],
      "samples/samples.fhir.json": ["5"],
      "samples/positions.gpx": ["'-33.95 18.4 2024", "'-33.9 18.45 2024"],
    ]
    #expect(Set(files.keys) == Set(expected.keys))
    for (name, texts) in expected {
      let file = try #require(files[name], "\(name) is missing")
      for text in texts { #expect(file.contains(text), "\(text) is not in \(name): \(file)") }
    }
    let all = files.values.joined()
    let stranger = planted.stranger.person
    for text in [stranger.email, stranger.fiscalCode, stranger.name, "77.125", People.password] {
      #expect(!all.contains(text), "\(text) is in the archive")
    }
  }

  @Test("a third party receives its own data, and none of people", .tags(.ACC_11))
  func company() async throws {
    let system = try await TestSystem.shared()
    let planted = try await Planted(system)
    let party = planted.party
    #expect(try await party.post("/auth/keys", ["name": "Key of the archive"]).outcome == .ok)
    let files = try await Self.contents(of: try await party.get("/auth/export"), system)
    let expected = [
      "account.json": [party.company.email],
      "profile.json": [party.company.name, party.company.vatNumber, party.company.purpose],
      "consents.json": ["consents"], "notices.json": ["items"], "push.json": ["publicKey"],
      "keys.json": ["Key of the archive"], "sessions.json": ["login", "program"],
      "requests.json": [planted.request, planted.user.person.email],
      "callback-log.json": ["calls"], "payments.json": ["payments"],
      "runs.json": [RunOfTest.name],
    ]
    #expect(Set(files.keys) == Set(expected.keys))
    for (name, texts) in expected {
      let file = try #require(files[name], "\(name) is missing")
      for text in texts { #expect(file.contains(text), "\(text) is not in \(name): \(file)") }
    }
    let all = files.values.joined()
    for person in [planted.user.person, planted.stranger.person] {
      #expect(!all.contains(person.name))
      #expect(!all.contains(person.fiscalCode))
    }
    #expect(!all.contains("61.25"))
  }
}

@Suite("The archive of a large account, through the gateway")
struct LargeExportJourney {
  private static let batchCount = 12
  private static let batchSize = 10_000

  /// A client that reads the response's head, records its status, waits for a line, and then reads
  /// the rest.
  private static let slowClient = """
    import http.client, os, shutil, socket, sys
    port, token, started, target = sys.argv[1:]
    connection = http.client.HTTPConnection("127.0.0.1", int(port))
    connection.sock = socket.socket()
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.sock.connect(("127.0.0.1", int(port)))
    connection.request("GET", "/auth/export", headers={"authorization": "Bearer " + token})
    response = connection.getresponse()
    with open(started + ".part", "w") as file:
        file.write(f"{response.status} {response.headers['retry-after']}")
    os.rename(started + ".part", started)
    os.read(0, 1)
    with open(target + ".part", "wb") as file:
        shutil.copyfileobj(response, file)
    os.rename(target + ".part", target)
    """

  /// Incompressible positions.
  private static func fill(_ user: SingleUser) async throws {
    var generator = SeededRandom()
    for batch in 0..<batchCount {
      let start = 1_700_000_000 + batch * batchSize
      let samples = (0..<batchSize).map { second -> (String, JSONValue) in
        let time = Date(timeIntervalSince1970: Double(start + second))
        let (north, east) = (
          Int.random(in: 0..<10_000_000, using: &generator),
          Int.random(in: 0..<10_000_000, using: &generator)
        )
        return (time.ISO8601Format(), .text("45.\(1_0000000 + north),9.\(1_0000000 + east)"))
      }
      try await user.upload("position", samples)
    }
  }

  /// Starts the slow client and returns its record of the head.
  private static func begin(
    _ number: Int, by user: SingleUser, on system: TestSystem, line: Int32
  ) async throws -> String {
    let (head, target) = ("\(system.directory)/head-\(number)", "slow-\(number).zip")
    _ = try Program(command: [
      TestSystem.python, "-u", "-c", slowClient, "\(system.httpPort)", user.token, head,
      "\(system.directory)/\(target)",
    ]).start(input: line)
    return try await eventually("the head of the archive") {
      try? String(contentsOfFile: head, encoding: .utf8)
    }
  }

  @Test(
    "an archive needs little memory, a stalled client holds no connection, and a second one waits",
    .tags(.ACC_11))
  func large() async throws {
    let system = try await TestSystem()
    let small = try await system.singleUser()
    try await small.upload("position", [("2024-01-15T10:05:00Z", "-33.9,18.45")])
    let user = try await system.singleUser()
    try await Self.fill(user)
    for _ in 0..<4 { #expect(try await small.get("/auth/export").outcome == .ok) }
    let names = ["gateway", "data4help-1", "data4help-2"]
    let before = try names.map { try system.memoryMax(of: $0) }

    // Each process writes one archive of an account at a time: with two processes the third request
    // waits.
    var ends: [Int32] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    let line = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    var heads: [String] = []
    while heads.count < 3, heads.last != "429 30" {
      heads.append(try await Self.begin(heads.count, by: user, on: system, line: ends[0]))
    }
    close(ends[0])
    #expect(heads.first == "200 None" && heads.last == "429 30", "\(heads)")
    #expect(try await small.get("/auth/export").outcome == .ok)
    _ = try await eventually("that no connection waits inside of a transaction") {
      let count = try await system.superuser(
        "SELECT count(*) FROM pg_stat_activity WHERE xact_start < now() - interval '1 s'"
      )
      return count == "0" ? true : nil
    }
    try line.write(contentsOf: Data("\n\n\n".utf8))
    let target = system.directory + "/slow-0.zip"
    _ = try await eventually("the end of the archive", within: .seconds(300)) {
      FileManager.default.fileExists(atPath: target) ? true : nil
    }
    let listed = try await Program(command: ["unzip", "-Z", "-t", target]).run()
    try #require(listed.isSuccess, "\(listed.output)")
    // The line is "20 files, 88888888 bytes uncompressed, …".
    let words = listed.output.split(separator: " ")
    let bytes = try #require(words.dropFirst(2).first.flatMap { Int($0) })
    #expect(bytes > Self.batchCount * Self.batchSize * 500)
    for (name, before) in zip(names, before) {
      let grown = try system.memoryMax(of: name) - before
      #expect(grown < bytes / 3, "\(name) has grown by \(grown) bytes of \(bytes)")
    }
    #expect(try await Program(command: ["unzip", "-t", target]).run().isSuccess)
    #expect(try await user.get("/auth/me").outcome == .ok)
    await system.stop()
  }
}
