/// The noise of each person: the same draws in every answer, day, period and breakdown permanently,
/// for all third parties (decision 0020).
///
/// Answers are linear in people's contributions, so enough of them can be solved for one person's
/// contribution. That contribution is a value plus a draw, and no answer contains the same value
/// with another draw. Draws come from a block cipher under a secret key, applied to the person's
/// member number, which is never reused: they need no storage.
package struct PersonNoise: Sendable {
  /// The deviation of a person's level, relative to the range of the type.
  package static let levelDeviation = 0.82
  /// The deviation of a person's draw for a bin, in people: that of ten coins.
  package static let binDeviation = 1.581_138_830_084_19

  private enum Purpose: UInt64 {
    case level = 1
    case bins = 2
    case day = 3
  }

  /// The deviation of a sum of eight 16-bit numbers.
  private static let sumDeviation = 53_510.3
  private let encrypt: (@Sendable (_ blocks: inout [UInt64]) -> Void)?

  /// Creates noise from a block cipher. `encrypt` encrypts blocks of 16 bytes (two words each) in
  /// place, under a key that is secret and never changes.
  package init(encrypt: @escaping @Sendable (_ blocks: inout [UInt64]) -> Void) {
    self.encrypt = encrypt
  }

  private init() { encrypt = nil }

  /// No noise, for comparisons with exact numbers.
  package static let silent = PersonNoise()

  /// Whether there is no noise.
  package var isSilent: Bool { encrypt == nil }

  /// The levels of consecutive people, in steps of `DayValueCode`: one draw per person and type.
  package func levels(_ type: DataType, from first: Int, count: Int) -> [Int16] {
    guard let encrypt else { return Array(repeating: 0, count: count) }
    var blocks = [UInt64](repeating: 0, count: 2 * count)
    for index in 0..<count { blocks[2 * index] = Self.word(.level, type, first + index) }
    encrypt(&blocks)
    return (0..<count).map { Self.level(ofSum: Self.sum(blocks[2 * $0], blocks[2 * $0 + 1])) }
  }

  /// People's draws for the eight bins, in people: whole numbers from −5 to 5, which also depend on
  /// the bin that the person is in.
  package func bins(_ type: DataType, _ people: [(member: Int, bin: Int)]) -> [SIMD8<Int16>] {
    guard let encrypt else { return Array(repeating: .zero, count: people.count) }
    var blocks = [UInt64](repeating: 0, count: 2 * people.count)
    for index in people.indices {
      let (member, bin) = people[index]
      blocks[2 * index] = Self.word(.bins, type, member) | UInt64(bin) << 16
    }
    encrypt(&blocks)
    return people.indices.map { Self.coins(blocks[2 * $0], blocks[2 * $0 + 1]) }
  }

  /// The draw of a person's day for a type, with deviation 1 and at most 5.
  package func ofDay(_ day: Int32, _ type: DataType, member: Int32) -> Double {
    guard let encrypt else { return 0 }
    var block = [Self.word(.day, type, Int(member)), UInt64(UInt32(bitPattern: day))]
    encrypt(&block)
    return Double(Self.sum(block[0], block[1])) / Self.sumDeviation
  }

  /// The first word of a block: the purpose of its draw.
  private static func word(_ purpose: Purpose, _ type: DataType, _ member: Int) -> UInt64 {
    purpose.rawValue | UInt64(type.rawValue) << 8 | UInt64(member) << 32
  }

  /// The sum of eight 16-bit numbers less its mean: approximately normal, with tails that end at
  /// 4.9 deviations.
  private static func sum(_ first: UInt64, _ second: UInt64) -> Int {
    let mask: UInt64 = 0x0000_FFFF_0000_FFFF
    // Two sums of at most 131,070 in each half, then the sum of four: 18 of 32 bits.
    var sums = (first & mask) &+ (first >> 16 & mask)
    sums &+= (second & mask) &+ (second >> 16 & mask)
    return Int(sums & 0xFFFF_FFFF) + Int(sums >> 32) - 262_140
  }

  /// The level of a sum, rounded to steps. It equals `rounded()`, for which the baseline processor
  /// has no instruction: that would be a library call for each person.
  package static func level(ofSum sum: Int) -> Int16 {
    let scale = levelDeviation * DayValueCode.stepsOfRange / sumDeviation
    return Int16(Double(sum) * scale + (sum < 0 ? -0.5 : 0.5))
  }

  /// The number of heads among ten coins for each bin, less the mean.
  private static func coins(_ first: UInt64, _ second: UInt64) -> SIMD8<Int16> {
    var lanes = SIMD8<UInt16>()
    for lane in 0..<4 {
      lanes[lane] = UInt16(truncatingIfNeeded: first >> UInt64(16 * lane))
      lanes[lane + 4] = UInt16(truncatingIfNeeded: second >> UInt64(16 * lane))
    }
    lanes &= 0x03FF
    lanes = (lanes & 0x5555) &+ (lanes &>> 1 & 0x5555)
    lanes = (lanes & 0x3333) &+ (lanes &>> 2 & 0x3333)
    lanes = (lanes & 0x0F0F) &+ (lanes &>> 4 & 0x0F0F)
    lanes = (lanes & 0x00FF) &+ (lanes &>> 8)
    return SIMD8<Int16>(truncatingIfNeeded: lanes) &- 5
  }
}
