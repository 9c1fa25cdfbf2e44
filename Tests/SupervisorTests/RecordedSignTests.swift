import Domain
import Testing
import trackme_lab

@Suite("Recordings of vital signs")
struct RecordedSignTests {
  @Test("CSV and NDJSON in TrackMe's formats are read, sorted by time")
  func formats() throws {
    let csv = """
      seq,dataType,value,unit,timestamp,device
      2,position,"45.4642,9.19",,2026-01-01T00:00:01Z,
      1,heartRate,71,BPM,2026-01-01T00:00:00.500Z,
      3,fall,1,,2026-01-01T00:00:02+00:00,
      """
    let lines = """
      {"dataType": "position", "value": "45.4642,9.19", "timestamp": "2026-01-01T00:00:01Z"}

      {"dataType": "heartRate", "value": 71, "timestamp": "2026-01-01T00:00:00.500Z"}
      {"dataType": "fall", "value": "1", "timestamp": "2026-01-01T00:00:02Z"}
      """
    let read = try RecordedSign.all(in: csv)
    #expect(read.map(\.milliseconds) == [0, 500, 1500])
    #expect(read.map(\.type) == [.heartRate, .position, .fall])
    #expect(try RecordedSign.all(in: lines) == read)
    #expect(try RecordedSign.all(in: csv.replacing("\n", with: "\r\n")) == read)
  }

  @Test("the error for an invalid line contains its number and the fault")
  func refused() {
    let heading = "timestamp,dataType,value\n"
    for (text, words) in [
      ("", "no vital signs"), (heading, "no vital signs"), ("time,value\n", "line 1"),
      (heading + "2026-01-01T00:00:00Z,heartRate\n", "line 2"),
      (heading + "2026-01-01T00:00:00Z,heartRate,x\n", "line 2"),
      (heading + "2026-01-01T00:00:00Z,heartRate,9999\n", "heartRate"),
      (heading + "yesterday,heartRate,60\n", "line 2"),
      (heading + "2026-01-01T00:00:00Z,heart,60\n", "dataType"),
      (heading + "2026-01-01T00:00:00Z,heartRate,\"60\n", "quotation"),
      ("{\"dataType\": \"heartRate\"}", "line 1"), ("{", "line 1"),
    ] {
      let refusal = #expect(throws: (any Error).self) { try RecordedSign.all(in: text) }
      #expect("\(refusal, default: "")".contains(words), "\(text)")
    }
  }
}
