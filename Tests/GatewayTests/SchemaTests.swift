import HTTP
import HTTPFixture
import PublicAPI
import Requirements
import Testing

@Suite("Validation of bodies by schema", .tags(.GW_2))
struct SchemaTests {
  @Test(
    "a body that violates its schema is refused with the field's path, and not forwarded",
    arguments: [
      (#"{"dataTypes":["heartRate"],"values":["70"]}"#, "timestamp"),
      (#"{"dataTypes":[],"values":["70"],"timestamp":["2024-01-01T00:00:00Z"]}"#, "dataTypes"),
      (
        #"{"dataTypes":["steps","luck"],"values":[1,2],"timestamp":["2024-01-01T00:00:00Z"]}"#,
        "dataTypes[1]"
      ),
      (
        #"{"dataTypes":["steps"],"values":[true],"timestamp":["2024-01-01T00:00:00Z"]}"#,
        "values[0]"
      ),
      (#"{"dataTypes":["steps"],"values":[1],"timestamp":["yesterday"]}"#, "timestamp[0]"),
    ])
  func refusals(_ json: String, _ field: String) async throws {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let response = try await gateway.send(
      .post, "/data/upload", token: gateway.logIn(), json: json)
    #expect(response.head.status == .badRequest)
    #expect(response.error == "Malformed request")
    #expect(response.field == field)
    #expect(response.head.fields[.contentType] == "application/problem+json")
    #expect(response.member("requestID") == response.head.fields[.requestID])
    #expect(replica.arrivals.isEmpty)
    await gateway.stop()
    await replica.stop()
  }

  @Test("a valid body is forwarded unchanged")
  func accepted() async throws {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let json =
      #"{ "dataTypes":["steps"],"values":[1],"timestamp":["2024-01-01T00:00:00Z"],"more":1}"#
    let response = try await gateway.send(
      .post, "/data/upload", token: gateway.logIn(), json: json)
    #expect(response.head.status == .ok)
    #expect(replica.arrivals.first?.body == json)
    await gateway.stop()
    await replica.stop()
  }

  @Test("a chunked body over 1 MiB is 413, another media type 415, no body 400", .tags(.GW_5))
  func otherRefusals() async throws {
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    let token = gateway.logIn()
    let long = String(repeating: " ", count: 1_048_577)
    let large = try await gateway.send(.post, "/data/upload", token: token, json: long)
    #expect(large.head.status == .contentTooLarge)
    #expect(large.error == "Too large")
    let chunked = try RawClient(gateway.address)
    chunked.send(
      "POST /data/upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "100001\r\n" + long + "\r\n0\r\n\r\n")
    #expect(await chunked.receiveAll().hasPrefix("HTTP/1.1 413"))
    let plain = [("content-type", "text/plain")]
    let empty = try await gateway.send(.post, "/data/upload", token: token, fields: plain)
    #expect(empty.head.status == .badRequest)
    let client = gateway.client()
    let head = TestGateway.head(.post, "/data/upload", token: token, fields: plain)
    let type = try await client.send(head, body: Array("{}".utf8))
    client.shutDown()
    #expect(type.head.status == .unsupportedMediaType)
    #expect(replica.arrivals.isEmpty)
    await gateway.stop()
    await replica.stop()
  }
}
