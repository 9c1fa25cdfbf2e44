import FuzzTargets
import HTTP
import Requirements
import Testing

/// The bytes of a hexadecimal text.
private func bytes(_ text: String) -> [UInt8] {
  let digits = text.filter { $0 != " " }.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}

@Suite("HPACK of the link to the services", .tags(.GW_4))
struct HPACKTests {
  private func fields(_ block: [UInt8]) throws(HPACKError) -> [String] {
    var decoder = HPACKDecoder()
    var sink = FieldCollector()
    try decoder.decode(block.span, into: &sink)
    return sink.fields.map {
      "\(String(decoding: $0, as: UTF8.self)): \(String(decoding: $1, as: UTF8.self))"
    }
  }

  @Test(
    "numbers are those of RFC 7541, appendix C.1",
    arguments: [(10, 5, "0a"), (1337, 5, "1f9a0a"), (42, 8, "2a"), (31, 5, "1f00"), (0, 7, "00")])
  func integers(value: Int, bits: Int, text: String) throws {
    var output: [UInt8] = []
    HPACKEncoder.append(integer: value, bits: bits, 0, to: &output)
    #expect(output == bytes(text))
    var offset = 0
    #expect(try HPACKDecoder.integer(in: output.span, at: &offset, bits: bits) == value)
    #expect(offset == output.count)
  }

  @Test("fields are those of RFC 7541, appendices C.2 to C.6, as far as they use no table")
  func vectors() throws {
    let literal = "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572"
    #expect(try fields(bytes(literal)) == ["custom-key: custom-header"])
    #expect(try fields(bytes("040c 2f73 616d 706c 652f 7061 7468")) == [":path: /sample/path"])
    #expect(try fields(bytes("1008 7061 7373 776f 7264 0673 6563 7265 74")) == ["password: secret"])
    #expect(try fields(bytes("82")) == [":method: GET"])
    let request = [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"]
    let plain = "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d"
    #expect(try fields(bytes(plain)) == request)
    #expect(try fields(bytes("8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff")) == request)
    let response = [
      ":status: 302", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT",
      "location: https://www.example.com",
    ]
    let plainResponse = """
      4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a
      3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d
      """
    #expect(try fields(bytes(plainResponse)) == response)
    let coded = """
      4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e
      919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3
      """
    #expect(try fields(bytes(coded)) == response)
  }

  @Test(
    "texts in Huffman's code are those of RFC 7541, appendix C",
    arguments: [
      ("f1e3c2e5f23a6ba0ab90f4ff", "www.example.com"), ("a8eb10649cbf", "no-cache"),
      ("25a849e95ba97d7f", "custom-key"), ("25a849e95bb8e8b4bf", "custom-value"),
      ("6402", "302"), ("640eff", "307"), ("aec3771a4b", "private"), ("", ""), ("1f", "a"),
      (
        "94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587"
          + "316065c003ed4ee5b1063d5007",
        "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"
      ),
    ])
  func huffman(code: String, text: String) {
    var output: [UInt8] = []
    #expect(HPACKHuffman.decode(bytes(code).span, into: &output))
    #expect(String(decoding: output, as: UTF8.self) == text)
  }

  @Test("a text in Huffman's code is the same when it is repeated, also beside others")
  func repeatedHuffman() throws {
    // Both codes are kept in the same place.
    let blocks = ["4883 640e ff": ":status: 307", "5885 aec3 771a 4b": "cache-control: private"]
    let (first, second) = ("4883 640e ff", "5885 aec3 771a 4b")
    var decoder = HPACKDecoder()
    let order = [first, first, first, second, first, second, second, second, first]
    for block in order {
      var sink = FieldCollector()
      try decoder.decode(bytes(block).span, into: &sink)
      let texts = sink.fields.map {
        "\(String(decoding: $0, as: UTF8.self)): \(String(decoding: $1, as: UTF8.self))"
      }
      #expect(texts == [blocks[block]])
    }
  }

  @Test(
    "an end of the string, and padding that is long or not of ones, are refused",
    arguments: ["ffffffff", "fffffffc", "18", "1fff", "ff", "1fffffff"])
  func invalidHuffman(code: String) {
    var output: [UInt8] = []
    #expect(!HPACKHuffman.decode(bytes(code).span, into: &output))
  }

  @Test(
    "an invalid block is refused",
    arguments: [
      ("80", HPACKError.invalidIndex), ("be", .invalidIndex), ("ff00", .invalidIndex),
      ("7f0000", .invalidIndex), ("0f2f00", .invalidIndex),
      // Appendix C.3.2 refers to an entry of the dynamic table.
      ("8286 84be 5808 6e6f 2d63 6163 6865", .invalidIndex),
      ("ffffffffff00", .invalidInteger), ("00", .truncated), ("0001", .truncated),
      ("000161", .truncated), ("0001617f", .truncated), ("040c2f", .truncated),
      ("ff", .truncated), ("0081180161", .invalidText), ("00016181ff", .invalidText),
      ("21", .invalidTableSize), ("3fe11f", .invalidTableSize), ("8820", .invalidTableSize),
    ])
  func invalidBlocks(text: String, error: HPACKError) {
    #expect(throws: error) { try fields(bytes(text)) }
  }

  @Test("the size of the table may be set to 0 before the fields of a block")
  func tableSize() throws {
    #expect(try fields(bytes("20 20 88")) == [":status: 200"])
    #expect(try fields([]).isEmpty)
  }

  @Test("the static table has the names and values of RFC 7541, appendix A")
  func staticTable() throws {
    let all = try fields((1...61).map { 0x80 | UInt8($0) })
    #expect(all.count == 61)
    #expect(all[0] == ":authority: " && all[2] == ":method: POST" && all[6] == ":scheme: https")
    #expect(all[13] == ":status: 500" && all[15] == "accept-encoding: gzip, deflate")
    #expect(all[14] == "accept-charset: " && all[51] == "refresh: ")
    #expect(all[27] == "content-length: " && all[60] == "www-authenticate: ")
    #expect(all[18] == "accept: ")
    let names = all.dropFirst(14).map { String($0.prefix { $0 != ":" }) }.filter { $0 != "accept" }
    #expect(names == names.sorted() && !names.contains(""))
  }

  @Test("a request is encoded with names of the static table, and without its hop-by-hop fields")
  func request() throws {
    var head = RequestHead(.post, "/data/upload?a=b", authority: "data4help")
    head.contentLength = 12_345
    for (name, value) in [
      ("content-type", "application/json"), ("connection", "close"), ("x-other", "1"),
      ("content-length", "7"), ("authorization", "Bearer t"), ("te", "trailers"),
      ("x-trackme-secret", String(repeating: "s", count: 300)), ("host", "second"),
    ] { head.fields.append(name, value) }
    var block: [UInt8] = []
    HPACKEncoder.append(head, to: &block)
    #expect(
      try fields(block) == [
        ":method: POST", ":scheme: http", ":path: /data/upload?a=b", ":authority: data4help",
        "content-length: 12345", "content-type: application/json", "x-other: 1",
        "authorization: Bearer t", "x-trackme-secret: \(String(repeating: "s", count: 300))",
      ])
    #expect(Array(block.prefix(2)) == [0x83, 0x86])
    // A secret is marked as never to be indexed.
    #expect(block.firstRange(of: [0x1F, 0x08, 0x08] + Array("Bearer t".utf8)) != nil)
    var connect: [UInt8] = []
    HPACKEncoder.append(RequestHead(.connect, "*", authority: "a:1"), to: &connect)
    #expect(try fields(connect) == [":method: CONNECT", ":authority: a:1"])
  }
}
