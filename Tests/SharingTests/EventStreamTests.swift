import Domain
import EventLoop
import Requirements
import Sharing
import Synchronization
import Testing
import Time

@Suite("Output of a stream, by a manual clock")
struct EventStreamTests {
  /// A stream on a manual loop, and its steps so far.
  private final class Stage: Sendable {
    let loop = EventLoop.manual()
    let fence: LoopBound<RevocationFence>
    let stream: LoopBound<EventStream>
    private let steps = Mutex<[EventStream.Step]>([])

    init(isWatched: Bool = false) {
      fence = LoopBound(RevocationFence(isWatched: isWatched, on: loop), on: loop)
      stream = LoopBound(
        EventStream(AccountID(rawValue: 1), after: 0, fence.value, on: loop), on: loop)
    }

    /// Requests the next step; returns the steps so far.
    func next() -> [EventStream.Step] {
      loop.begin { [self] in
        let step = await stream.value.next()
        steps.withLock { $0.append(step) }
      }
      return settled()
    }

    func settled() -> [EventStream.Step] {
      loop.runUntilIdle()
      return steps.withLock { $0 }
    }

    func revoke(_ requestID: DataRequestID) {
      loop.begin { [self] in await fence.value.revoke(Revoked(requestIDs: [requestID])) }
      loop.runUntilIdle()
    }
  }

  private static let request = DataRequestID(high: 1, low: 1)
  private static let other = DataRequestID(high: 2, low: 2)

  @Test("a stream without events sends a heartbeat every 15 s", .tags(.REQ_2))
  func heartbeat() {
    let stage = Stage()
    #expect(stage.next() == [])
    stage.loop.advance(by: .milliseconds(14_999))
    #expect(stage.settled() == [])
    stage.loop.advance(by: .milliseconds(1))
    #expect(stage.settled() == [.heartbeat])
    #expect(stage.next() == [.heartbeat])
    stage.loop.advance(by: .seconds(15))
    #expect(stage.settled() == [.heartbeat, .heartbeat])
  }

  @Test(
    "events outside the sequence follow the event being sent, and never split it",
    .tags(.NTF_1))
  func notified() {
    let stage = Stage()
    let size = EventStream.pieceBytesMax
    let page = EventPage(bytes: Array(repeating: 7, count: size + 1), next: 5)
    stage.stream.value.enqueue(page, at: .zero)
    _ = stage.next()
    for number in 0...EventStream.unsequencedMax {
      stage.stream.value.publish("alarm", [0x30 + UInt8(number)])
    }
    let events = (1...EventStream.unsequencedMax).map { "event: alarm\nid: 5\ndata: \($0)\n\n" }
    #expect(
      Array(stage.next().dropFirst()) == [.events([7])])
    #expect(Array(stage.next().dropFirst(2)) == [.events(Array(events.joined().utf8))])
    // At once if the stream is waiting.
    #expect(stage.next().count == 3)
    stage.stream.value.publish("alarm", [0x39])
    #expect(stage.settled().last == .events(Array("event: alarm\nid: 5\ndata: 9\n\n".utf8)))
  }

  @Test("a slow client holds one page, which is sent in chunks of 16 KiB", .tags(.REQ_2))
  func pieces() {
    let stage = Stage()
    let bytes = (0..<(EventStream.pieceBytesMax + 1)).map { UInt8(truncatingIfNeeded: $0) }
    stage.stream.value.enqueue(EventPage(bytes: bytes, next: 9), at: stage.loop.now)
    #expect(!stage.stream.value.isWaiting)
    #expect(stage.next() == [.events(Array(bytes.dropLast()))])
    #expect(!stage.stream.value.isWaiting)
    #expect(stage.next().last == .events(Array(bytes.suffix(1))))
    #expect(!stage.stream.value.isWaiting)
    _ = stage.next()
    #expect(stage.stream.value.isWaiting)
  }

  @Test("revoked data is no longer sent, not even the rest of an event", .tags(.R21))
  func revoked() {
    let stage = Stage()
    let bytes = [UInt8](repeating: 1, count: 2 * EventStream.pieceBytesMax)
    stage.stream.value.enqueue(
      EventPage(bytes: bytes, next: 9, requestIDs: [Self.request]), at: stage.loop.now)
    stage.revoke(Self.other)
    #expect(stage.next().count == 1)
    stage.revoke(Self.request)
    #expect(stage.next().last == .end(.revoked))
  }

  @Test("a process sends no data before its lease or after it", .tags(.R21))
  func lease() {
    let stage = Stage(isWatched: true)
    let (loop, fence) = (stage.loop, stage.fence.value)
    #expect(!fence.admits([Self.request], readAt: loop.now))
    loop.advance(by: .seconds(1))
    let early = loop.now
    loop.advance(by: .seconds(1))
    fence.extend(until: loop.now + .seconds(4))
    #expect(!fence.admits([Self.request], readAt: early))
    let readAt = loop.now
    loop.advance(by: .milliseconds(3_999))
    #expect(fence.admits([Self.request], readAt: readAt))
    loop.advance(by: .milliseconds(1))
    #expect(!fence.admits([Self.request], readAt: readAt))
    // Data read before the lease ended is not sent under the next lease.
    fence.extend(until: loop.now + .seconds(4))
    #expect(!fence.admits([Self.request], readAt: readAt))
    #expect(fence.admits([Self.request], readAt: loop.now))
    fence.close()
    #expect(!fence.admits([Self.request], readAt: loop.now))
  }

  @Test("data read ten minutes ago is not sent", .tags(.R21))
  func old() {
    let stage = Stage()
    let readAt = stage.loop.now
    stage.loop.advance(by: RevocationFence.keptFor - .milliseconds(1))
    #expect(stage.fence.value.admits([Self.request], readAt: readAt))
    stage.loop.advance(by: .milliseconds(1))
    #expect(!stage.fence.value.admits([Self.request], readAt: readAt))
  }
}
