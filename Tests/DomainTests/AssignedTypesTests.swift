import Domain
import Requirements
import Testing

@Suite("Which device provides a type", .tags(.DAT_3))
struct AssignedTypesTests {
  @Test("an assigned type is accepted from its device and by hand, any other from everywhere")
  func admission() {
    var assigned = AssignedTypes()
    #expect(assigned.admits(.heartRate, from: 1))
    assigned[.heartRate] = 2
    #expect(!assigned.admits(.heartRate, from: 1))
    #expect(assigned.admits(.heartRate, from: 2))
    #expect(assigned.admits(.heartRate, from: 0))
    #expect(assigned.admits(.steps, from: 1))
    assigned[.heartRate] = nil
    #expect(assigned == AssignedTypes())
  }

  @Test("a removed device leaves its types to its successor, or to any device")
  func replacing() {
    var assigned = AssignedTypes()
    assigned[.heartRate] = 1
    assigned[.steps] = 1
    assigned[.weight] = 2
    assigned.replace(1, with: 3)
    #expect(assigned.types(of: 3) == [.heartRate, .steps])
    assigned.replace(3)
    #expect(assigned.types(of: 3).isEmpty)
    #expect(assigned.types(of: 2) == [.weight])
  }

  @Test("only the stored form is read back")
  func storage() throws {
    var assigned = AssignedTypes()
    assigned[.ecg] = .max
    assigned[.heartRate] = 258
    #expect(assigned.stored == [2, 0, 0, 1, 2, 23, 127, 255, 255, 255])
    #expect(AssignedTypes(stored: assigned.stored) == assigned)
    #expect(AssignedTypes(stored: []) == AssignedTypes())
    for bad: [UInt8] in [[2], [99, 0, 0, 0, 1], [2, 0, 0, 0, 0], [2, 128, 0, 0, 0]] {
      #expect(AssignedTypes(stored: bad) == nil)
    }
  }
}
