import Domain
import JSON

// The placings as the JSON text of an event `placings`: each runner is the number and the rank.
//
//   {"number":17,"watching":3,"full":[[412,1],[7,2],…]}
//   {"number":22,"watching":4,"changed":[[7,1],[412,2]],"gone":[9]}

/// The complete placings of a run, or their changes.
struct PlacingsEvent: JSONWritable {
  let number: Int64
  let watching: Int
  private let isWhole: Bool
  private let ranked: [(runner: Int32, rank: Int32)]
  private let removed: [Int32]

  /// Creates the changes between two placings; everything if there were none before.
  init(number: Int64, watching: Int, from before: [Int32: Int32]?, to after: [Int32: Int32]) {
    self.number = number
    self.watching = watching
    isWhole = before == nil
    ranked = after.filter { before?[$0.key] != $0.value }
      .map { (runner: $0.key, rank: $0.value) }
      .sorted { ($0.rank, $0.runner) < ($1.rank, $1.runner) }
    removed = before?.keys.filter { after[$0] == nil }.sorted() ?? []
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("number", number)
      writer.field("watching", watching)
      if isWhole || !ranked.isEmpty {
        writer.array(isWhole ? "full" : "changed") { writer in
          for entry in ranked {
            writer.array { writer in
              writer.value(entry.runner)
              writer.value(entry.rank)
            }
          }
        }
      }
      if !removed.isEmpty {
        writer.array("gone") { writer in for runner in removed { writer.value(runner) } }
      }
    }
  }
}
