import EventLoop
import Foundation
import Support
import Synchronization
import Testing
import Web

/// A stream of events as received by a test's client.
package final class CollectedStream: Sendable {
  package struct NoStream: Error {}

  /// A received event.
  package struct Event {
    package let name: String
    package let number: Int64
    package let object: [String: Any]

    /// The field `data` of an event of a third party's sequence.
    package var data: [String: Any] { object["data"] as? [String: Any] ?? [:] }
  }

  private let writer: BodyWriter
  private let task: Task<Void, any Error>
  private let writing: Writing
  private let loop: EventLoop

  /// Collects the output of `write` on its loop.
  package init(
    _ writer: BodyWriter, _ write: @escaping @Sendable (BodyWriter) async throws -> Void,
    on loop: EventLoop
  ) {
    let writing = Writing()
    self.writer = writer
    self.writing = writing
    self.loop = loop
    task = Task(executorPreference: loop) {
      defer { writing.end() }
      try await write(writer)
    }
  }

  private final class Writing: Sendable {
    private let over = Atomic(false)
    var isOver: Bool { over.load(ordering: .acquiring) }
    func end() { over.store(true, ordering: .releasing) }
  }

  /// The events received so far.
  package func events() async -> [Event] {
    let writer = writer
    let text = await Task(executorPreference: loop) {
      String(decoding: writer.collected, as: UTF8.self)
    }.value
    return text.components(separatedBy: "\n\n").compactMap { Self.event($0) }
  }

  private static func event(_ text: String) -> Event? {
    var fields: [Substring: Substring] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[parts[0]] = parts[1].dropFirst() }
    }
    guard let name = fields["event"], let number = fields["id"].flatMap({ Int64($0) }) else {
      return nil
    }
    let data = Data((fields["data"] ?? "").utf8)
    let object = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    return Event(name: String(name), number: number, object: object)
  }

  /// The number of bytes received so far.
  package func byteCount() async -> Int {
    let writer = writer
    return await Task(executorPreference: loop) { writer.collected.count }.value
  }

  /// Waits for the first `count` events.
  package func events(_ count: Int) async throws -> [Event] {
    var come: [Event] = []
    try await eventually("\(count) events", within: .seconds(120), every: .milliseconds(5)) {
      let isLast = isOver
      come = await self.events()
      if come.count >= count { return true }
      if isLast {
        try await task.value
        throw FixtureProblem("The stream ended after \(come.count) of \(count) events.")
      }
      return false
    }
    return come
  }

  /// Whether the stream has ended without a disconnect.
  package var isOver: Bool { writing.isOver }

  /// Waits for the end of the stream.
  package func ended() async throws { try await task.value }

  /// Disconnects, as a client that closes its connection.
  package func close() { task.cancel() }
}
