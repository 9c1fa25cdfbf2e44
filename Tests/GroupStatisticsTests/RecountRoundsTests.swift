import GroupStatistics
import Requirements
import Testing
import Time

@Suite("Rounds of recounting")
struct RecountRoundsTests {
  private let start = MonotonicInstant(nanoseconds: 1)

  @Test("a round counts the months marked at its start, the next begins 10 s later", .tags(.R29))
  func round() {
    let rounds = RecountRounds()
    #expect(rounds.isDue(at: start))
    rounds.begin(marks: 300, at: start)
    rounds.counted(200)
    #expect(rounds.left == 100)
    // Months marked meanwhile are not of this round.
    rounds.counted(128)
    #expect(rounds.left == 0)
    #expect(!rounds.isDue(at: start + .milliseconds(9_999)))
    #expect(rounds.isDue(at: start + .seconds(10)))
  }

  @Test("a round ends if there are no marks, or another replica counted them", .tags(.R29))
  func ended() {
    let rounds = RecountRounds()
    rounds.begin(marks: 0, at: start)
    #expect(rounds.left == 0)
    #expect(!rounds.isDue(at: start + .seconds(9)))
    rounds.begin(marks: 5, at: start + .seconds(10))
    rounds.counted(0)
    #expect(rounds.left == 0)
    #expect(!rounds.isDue(at: start + .seconds(19)))
  }

  @Test("with the maximum of marks the next round follows at once", .tags(.R29))
  func full() {
    let rounds = RecountRounds()
    rounds.begin(marks: RecountRounds.marksMax, at: start)
    #expect(!rounds.isDue(at: start))
    rounds.counted(RecountRounds.marksMax)
    #expect(rounds.isDue(at: start))
  }
}
