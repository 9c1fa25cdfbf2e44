import Domain
import Requirements
import Testing

@Suite("Names in both languages")
struct LocalizedNameTests {
  @Test("every data type and every disease has its own name in each language", .tags(.ACC_3))
  func names() {
    for names in [
      DataType.allCases.map(\.localizedName), ChronicDisease.allCases.map(\.name),
    ] {
      #expect(names.allSatisfy { !$0.italian.isEmpty && !$0.english.isEmpty })
      #expect(Set(names.map(\.italian)).count == names.count)
      #expect(Set(names.map(\.english)).count == names.count)
    }
    #expect(DataType.heartRate.localizedName == LocalizedName("Frequenza cardiaca", "Heart rate"))
    #expect(ChronicDisease.diabetes.name == LocalizedName("Diabete", "Diabetes"))
  }

  @Test("a company is found by each word of its name, legal form included", .tags(.REQ_3))
  func companyNames() throws {
    let name = try CompanyName("Farmacia Rossi & Figli S.p.A.")
    #expect(name.searchTexts == ["farmaciarossifiglispa", "rossifiglispa", "figlispa", "spa"])
    #expect(CompanyName.searchText(of: " ROSSI fig") == "rossifig")
    #expect(CompanyName.searchText(of: "&") == "")
    let long = try CompanyName((1...20).map { "word\($0)" }.joined(separator: " "))
    #expect(long.searchTexts.count == 8)
  }
}
