/// The chronic diseases for profiles (ACC-3) and searches (R26): common ones of the ICD-10 (WHO,
/// version of 2019), each with its categories.
package enum ChronicDisease: String, Sendable, CaseIterable {
  case tuberculosis
  case hiv
  case cancer
  case anaemia
  case thyroidDisease = "thyroid-disease"
  case diabetes
  case obesity
  case hypercholesterolaemia
  case dementia
  case schizophrenia
  case depression
  case anxiety
  case parkinson
  case multipleSclerosis = "multiple-sclerosis"
  case epilepsy
  case migraine
  case sleepApnoea = "sleep-apnoea"
  case glaucoma
  case hypertension
  case ischaemicHeartDisease = "ischaemic-heart-disease"
  case atrialFibrillation = "atrial-fibrillation"
  case heartFailure = "heart-failure"
  case stroke
  case peripheralArteryDisease = "peripheral-artery-disease"
  case copd
  case asthma
  case gastricReflux = "gastric-reflux"
  case crohnsDisease = "crohns-disease"
  case ulcerativeColitis = "ulcerative-colitis"
  case coeliacDisease = "coeliac-disease"
  case liverCirrhosis = "liver-cirrhosis"
  case psoriasis
  case rheumatoidArthritis = "rheumatoid-arthritis"
  case lupus
  case osteoarthritis
  case osteoporosis
  case kidneyDisease = "kidney-disease"
  case endometriosis

  /// The categories in the ICD-10, each a letter and two digits or a range of them; some with the
  /// digit after the point that specifies the disease.
  package var categories: [String] {
    switch self {
    case .tuberculosis: ["A15-A19"]
    case .hiv: ["B20-B24"]
    case .cancer: ["C00-C97"]
    case .anaemia: ["D50-D64"]
    case .thyroidDisease: ["E00-E07"]
    case .diabetes: ["E10-E14"]
    case .obesity: ["E66"]
    case .hypercholesterolaemia: ["E78"]
    case .dementia: ["F00-F03", "G30"]
    case .schizophrenia: ["F20"]
    case .depression: ["F32-F33"]
    case .anxiety: ["F40-F41"]
    case .parkinson: ["G20"]
    case .multipleSclerosis: ["G35"]
    case .epilepsy: ["G40"]
    case .migraine: ["G43"]
    case .sleepApnoea: ["G47.3"]
    case .glaucoma: ["H40"]
    case .hypertension: ["I10-I15"]
    case .ischaemicHeartDisease: ["I20-I25"]
    case .atrialFibrillation: ["I48"]
    case .heartFailure: ["I50"]
    case .stroke: ["I60-I64"]
    case .peripheralArteryDisease: ["I73"]
    case .copd: ["J44"]
    case .asthma: ["J45"]
    case .gastricReflux: ["K21"]
    case .crohnsDisease: ["K50"]
    case .ulcerativeColitis: ["K51"]
    case .coeliacDisease: ["K90.0"]
    case .liverCirrhosis: ["K74"]
    case .psoriasis: ["L40"]
    case .rheumatoidArthritis: ["M05-M06"]
    case .lupus: ["M32"]
    case .osteoarthritis: ["M15-M19"]
    case .osteoporosis: ["M80-M81"]
    case .kidneyDisease: ["N18"]
    case .endometriosis: ["N80"]
    }
  }

  /// The disease with a name of this list, in any case, or with an ICD-10 code such as `E11` or
  /// `E11.9`; nil for anything else.
  package init?(code text: String) {
    if let named = Self(rawValue: text.lowercased()) {
      self = named
      return
    }
    guard Self.isICD10(Array(text.utf8)) else { return nil }
    let code = text.uppercased()
    guard let disease = Self.allCases.first(where: { $0.covers(code) }) else { return nil }
    self = disease
  }

  /// A letter, two digits, and optionally a point and one or two digits.
  private static func isICD10(_ bytes: [UInt8]) -> Bool {
    guard [3, 5, 6].contains(bytes.count), bytes[0].isLetter, bytes[1].isDigit, bytes[2].isDigit
    else { return false }
    return bytes.count == 3 || (bytes[3] == ascii(".") && bytes[4...].allSatisfy(\.isDigit))
  }

  private func covers(_ code: String) -> Bool {
    categories.contains { category in
      if category.contains(".") { return code.hasPrefix(category) }
      let ends = category.split(separator: "-")
      let head = code.prefix(3)
      return ends[0] <= head && head <= ends[ends.count - 1]
    }
  }
}

/// A medicine that a person takes.
package struct Drug: Hashable, Sendable, Redacted {
  /// Its name.
  package let name: String
  /// Doses a day.
  package let dosesPerDay: Double

  /// The accepted doses a day: from one in a hundred days to one every quarter of an hour.
  package static let doses = 0.01...96.0

  /// Creates a medicine; nil if the doses a day are outside `doses`.
  package init?(name: ProfileLine, dosesPerDay: Double) {
    guard Self.doses.contains(dosesPerDay) else { return nil }
    self.name = name.text
    self.dosesPerDay = dosesPerDay
  }
}
