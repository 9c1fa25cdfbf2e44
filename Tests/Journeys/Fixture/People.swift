import Foundation
import Synchronization

/// Invented people and companies, unique within a process.
enum People {
  private static let count = Mutex(0)

  private static func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }

  static func person() -> Person { Person(number: next()) }
  static func company() -> Company { Company(number: next()) }

  static let password = "a horse that was never a battery"
}

/// The data of a single user to register.
struct Person {
  let email: String
  let fiscalCode: String
  let name: String
  let birthdate = "1980-01-01"
  let sex = "F"

  init(number: Int) {
    email = "person\(number)@example.org"
    name = "Person Number\(number)"
    fiscalCode = FiscalCodes.code(letters: number, middle: "80A41H501")
  }

  var registration: JSONValue {
    [
      "email": .text(email), "password": .text(People.password), "fc": .text(fiscalCode),
      "full_name": .text(name), "birthdate": .text(birthdate), "sex": .text(sex),
    ]
  }
}

/// The data of a third party to register.
struct Company {
  let email: String
  let vatNumber: String
  let name: String
  let purpose = "Looks after hearts"

  init(number: Int) {
    email = "company\(number)@example.com"
    name = "Clinic Number\(number)"
    vatNumber = VATNumbers.number(number)
  }

  var registration: JSONValue {
    [
      "email": .text(email), "password": .text(People.password), "piva": .text(vatNumber),
      "company_name": .text(name), "company_description": .text(purpose),
    ]
  }
}

/// Fiscal codes with their check character, computed from the tables of DM 23-12-1976.
enum FiscalCodes {
  private static let odd: [Int] = [
    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
  ]

  /// A code whose six letters are a number in base 26.
  static func code(letters number: Int, middle: String) -> String {
    var number = number
    var letters: [UInt8] = []
    for _ in 0..<6 {
      letters.insert(0x41 + UInt8(number % 26), at: 0)
      number /= 26
    }
    let body = letters + Array(middle.utf8)
    let sum = body.enumerated().reduce(0) { sum, next in
      let value = Int(next.element) - (next.element < 0x40 ? 0x30 : 0x41)
      return sum + (next.offset % 2 == 0 ? odd[value] : value)
    }
    return String(decoding: body + [0x41 + UInt8(sum % 26)], as: UTF8.self)
  }
}

/// P.IVA numbers of the office 015 with their check digit (Luhn).
enum VATNumbers {
  static func number(_ number: Int) -> String {
    let seven = String(String(10_000_000 + number).dropFirst())
    let digits = (seven + "015").utf8.map { Int($0) - 0x30 }
    let sum = digits.enumerated().reduce(0) { sum, next in
      guard next.offset % 2 == 1 else { return sum + next.element }
      return sum + (next.element > 4 ? next.element * 2 - 9 : next.element * 2)
    }
    return seven + "015\((10 - sum % 10) % 10)"
  }
}
