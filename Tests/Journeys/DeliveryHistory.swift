import Testing

/// The history of samples as seen by their senders and recipients, with its invariants (REQ-2,
/// R21). Times are seconds of one clock.
struct DeliveryHistory: Sendable {
  /// The transport of an event.
  enum Transport: String, Sendable, CaseIterable {
    case stream, events, callback
  }

  /// A sample whose upload was acknowledged.
  struct Upload: Sendable {
    let sample: String
    let user: Int
    /// The times of sending and of the received acknowledgement.
    let sent: Double
    let acknowledged: Double
  }

  /// A request ended by its user.
  struct End: Sendable {
    /// The times of the end's request and of its response.
    let asked: Double
    let answered: Double
  }

  /// Samples delivered together, under the last of their numbers.
  struct Receipt: Sendable {
    let party: Int
    let transport: Transport
    /// The connection number within a transport; callbacks and polling have one.
    let connection: Int
    let number: Int
    let request: String
    /// The samples by their numbers.
    let samples: [Int: String]
    /// The earliest time at which it can have been sent: the time of the poll, of the stream's
    /// connection, or the service's timestamp of a callback, in whole seconds.
    let left: Double
    /// When the client received it.
    let time: Double
  }

  var uploads: [Upload] = []
  var receipts: [Receipt] = []
  /// The person of a request, the third party, and the time of the acceptance's response.
  var requests: [String: (user: Int, party: Int, accepted: Double)] = [:]
  var ends: [String: End] = [:]

  /// The violations as sentences; empty for a valid history.
  func violations() -> [String] {
    lost() + doubled() + late() + disordered()
  }

  /// Every transport of a third party delivers all samples uploaded between acceptance and end.
  private func lost() -> [String] {
    var found: [String] = []
    for (request, terms) in requests.sorted(by: { $0.key < $1.key }) {
      for transport in Transport.allCases {
        let got = Set(
          receipts.filter { $0.request == request && $0.transport == transport }
            .flatMap(\.samples.values))
        for upload in uploads
        where upload.user == terms.user && upload.sent > terms.accepted
          && ends[request] == nil && !got.contains(upload.sample)
        {
          found.append("\(upload.sample) of \(request) was lost by \(transport.rawValue)")
        }
      }
    }
    return found
  }

  /// A third party's number denotes one sample on every transport, and a sample of a request has
  /// one number.
  private func doubled() -> [String] {
    var found: [String] = []
    var samples: [String: String] = [:]
    var numbers: [String: Int] = [:]
    for receipt in receipts {
      for (number, sample) in receipt.samples {
        let content = "\(receipt.request) \(sample)"
        let former = samples.updateValue(content, forKey: "\(receipt.party) \(number)")
        if let former, former != content {
          found.append("number \(number) of \(receipt.party) is \(former) and \(content)")
        }
        let other = numbers.updateValue(number, forKey: "\(receipt.party) \(content)")
        if let other, other != number {
          found.append("\(content) came under \(other) and \(number)")
        }
      }
    }
    return found
  }

  /// The bound for data handed to a connection before an end, which may still be in transit when
  /// the end is answered (decision 0010). A busy machine takes longer than idle processes.
  private static let onItsWayMax = 10.0

  /// No data of a request is sent after its end was answered, and no sample uploaded later.
  private func late() -> [String] {
    let sent = Dictionary(uploads.map { ($0.sample, $0.sent) }) { min($0, $1) }
    return receipts.filter { receipt in
      guard !receipt.samples.isEmpty, let end = ends[receipt.request] else { return false }
      let isUploadedLate = receipt.samples.values.contains { sample in
        sent[sample].map { $0 > end.answered } ?? false
      }
      return isUploadedLate || receipt.left > end.answered
        || receipt.time > end.answered + Self.onItsWayMax
    }.map { "\($0.request) got \($0.number) by \($0.transport.rawValue) after its end" }
  }

  /// Numbers grow on a connection; a stream continues after its last number; a callback is repeated
  /// under its number or followed by a higher one.
  private func disordered() -> [String] {
    var found: [String] = []
    var last: [String: Int] = [:]
    for receipt in receipts {
      let key = "\(receipt.party) \(receipt.transport.rawValue)"
      let former = last[key] ?? 0
      let isRight =
        receipt.transport == .callback ? receipt.number >= former : receipt.number > former
      if !isRight {
        found.append("\(key): \(receipt.number) came after \(former)")
      }
      last[key] = max(former, receipt.number)
    }
    return found
  }
}

@Suite("The checker of histories")
struct DeliveryHistoryTests {
  /// One request and three samples, all delivered by each transport; the request continues.
  private static func good() -> DeliveryHistory {
    var history = DeliveryHistory()
    history.requests["r"] = (user: 0, party: 0, accepted: 1)
    for index in 0..<3 {
      let time = Double(2 + index)
      history.uploads.append(
        DeliveryHistory.Upload(sample: "s\(index)", user: 0, sent: time, acknowledged: time + 0.5))
      for transport in DeliveryHistory.Transport.allCases {
        history.receipts.append(receipt(transport, index + 1, "s\(index)", time + 0.2))
      }
    }
    return history
  }

  private static func receipt(
    _ transport: DeliveryHistory.Transport, _ number: Int, _ sample: String, _ time: Double
  ) -> DeliveryHistory.Receipt {
    DeliveryHistory.Receipt(
      party: 0, transport: transport, connection: 0, number: number, request: "r",
      samples: [number: sample], left: time - 0.1, time: time)
  }

  @Test("a valid history has no violations")
  func none() { #expect(Self.good().violations() == []) }

  @Test("a repeated call is not a violation")
  func repeated() {
    var history = Self.good()
    history.receipts.append(Self.receipt(.callback, 3, "s2", 9))
    #expect(history.violations() == [])
  }

  @Test("the checker finds a sample that one transport did not deliver")
  func lost() {
    var history = Self.good()
    history.receipts.removeAll { $0.transport == .stream && $0.number == 3 }
    #expect(history.violations() == ["s2 of r was lost by stream"])
  }

  @Test("the checker finds a number with two samples, and a sample with two numbers")
  func doubled() {
    var history = Self.good()
    history.receipts.append(Self.receipt(.events, 4, "s2", 9))
    #expect(history.violations() == ["r s2 came under 3 and 4"])
    history = Self.good()
    history.receipts.append(Self.receipt(.callback, 3, "s9", 9))
    #expect(history.violations().contains { $0.contains("number 3 of 0 is") })
  }

  @Test("the checker finds a sample sent after the end was answered, not one in transit then")
  func late() {
    var history = Self.good()
    history.ends["r"] = DeliveryHistory.End(asked: 4, answered: 4.05)
    #expect(history.violations().count == 3)
    history.ends["r"] = DeliveryHistory.End(asked: 4, answered: 4.15)
    #expect(history.violations() == [])
  }

  @Test("the checker finds a sample uploaded after the end, or in transit for too long")
  func lateOnTheSameConnection() {
    var history = Self.good()
    history.ends["r"] = DeliveryHistory.End(asked: 4, answered: 4.25)
    var receipt = DeliveryHistory.Receipt(
      party: 0, transport: .stream, connection: 0, number: 4, request: "r", samples: [4: "s3"],
      left: 1, time: 5.2)
    history.receipts.append(receipt)
    #expect(history.violations() == [])
    history.uploads.append(
      DeliveryHistory.Upload(sample: "s3", user: 0, sent: 5, acknowledged: 5.5))
    #expect(history.violations() == ["r got 4 by stream after its end"])
    history.uploads.removeLast()
    history.receipts.removeLast()
    receipt = DeliveryHistory.Receipt(
      party: 0, transport: .stream, connection: 0, number: 4, request: "r", samples: [4: "s3"],
      left: 1, time: 14.5)
    history.receipts.append(receipt)
    #expect(history.violations() == ["r got 4 by stream after its end"])
  }

  @Test("the checker finds a stream that goes back, and one that repeats")
  func disordered() {
    for number in [2, 3] {
      var history = Self.good()
      history.receipts.append(Self.receipt(.stream, number, "s\(number - 1)", 9))
      #expect(history.violations() == ["0 stream: \(number) came after 3"])
    }
  }
}
