import EventLoop
import Runs
import ServiceKit
import Testing

@Suite("Shared answers")
struct SharedAnswersTests {
  /// Reads that end when the test ends them. Confined to its loop.
  private final class Readings {
    private(set) var begun = 0
    private var open: [CheckedContinuation<Void, Never>] = []

    func read() async -> [UInt8] {
      begun += 1
      let number = UInt8(begun)
      await withCheckedContinuation { open.append($0) }
      return [number]
    }

    func endOne() { open.removeFirst().resume() }
  }

  /// Collects answers on a separate loop.
  private func gather(
    _ body: @escaping @Sendable (SharedAnswers, Readings, EventLoop) async -> [[UInt8]]
  ) async throws -> [[UInt8]] {
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    return await withCheckedContinuation { continuation in
      loop.begin { continuation.resume(returning: await body(SharedAnswers(), Readings(), loop)) }
    }
  }

  @Test("requests that arrive while an answer is being created share the next one")
  func shared() async throws {
    let answers = try await gather { shared, readings, loop in
      var answers: [[UInt8]] = []
      let bound = LoopBound((shared, readings), on: loop)
      let results = LoopBound(Results(), on: loop)
      for question in ["a", "a", "a", "b", "a"] {
        loop.begin {
          let (shared, readings) = bound.value
          do throws(ApplicationError) {
            let made = try await shared.answer(to: Array(question.utf8)) { await readings.read() }
            results.value.all.append(made)
          } catch {
            Issue.record(error)
          }
        }
      }
      await turn(of: loop)
      // One read per question; the other three of the first question wait for the next.
      answers.append([UInt8(readings.begun)])
      readings.endOne()
      await turn(of: loop)
      answers.append([UInt8(readings.begun)])
      readings.endOne()
      readings.endOne()
      await turn(of: loop)
      return answers + [[UInt8(readings.begun)]] + results.value.all
    }
    #expect(answers == [[2], [3], [3], [1], [2], [3], [3], [3]])
  }

  @Test("a failure is reported to all waiting requests, and the next request starts anew")
  func failure() async throws {
    let answers = try await gather { shared, readings, loop in
      let bound = LoopBound((shared, readings), on: loop)
      let results = LoopBound(Results(), on: loop)
      for _ in 0..<3 {
        loop.begin {
          let (shared, readings) = bound.value
          do throws(ApplicationError) {
            _ = try await shared.answer(to: [1]) { () throws(ApplicationError) in
              _ = await readings.read()
              throw .unavailable(retryAfter: 1)
            }
          } catch {
            results.value.all.append([error.reason == .unavailable ? 5 : 0])
          }
        }
      }
      await turn(of: loop)
      readings.endOne()
      await turn(of: loop)
      readings.endOne()
      await turn(of: loop)
      return results.value.all + [[UInt8(readings.begun)]]
    }
    #expect(answers == [[5], [5], [5], [2]])
  }

  private final class Results {
    var all: [[UInt8]] = []
  }
}

/// Runs the pending work of a loop as far as possible.
private func turn(of loop: EventLoop) async {
  for _ in 0..<10 {
    await withCheckedContinuation { continuation in
      loop.execute { continuation.resume() }
    }
  }
}
