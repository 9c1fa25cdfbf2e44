import Foundation
import JSON
import PublicAPI
import Testing

@Suite("The declarations of the API for the web pages")
struct TypeScriptTests {
  @Test("the committed declarations are those of the endpoint table")
  func committed() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "Sources/WebApp/Client/types.d.ts"), encoding: .utf8)
    #expect(text == TypeScript().declarations(), "write them anew with `make pages`")
  }

  @Test("each kind of schema has its type")
  func kinds() {
    let body = JSONSchema.object([
      .required("email", .email), .optional("sex", .oneOf(["F", "M"])),
      .optional("phone", .text.nullable), .optional("note", .string().emptyable),
      .required("rows", .array(of: .object([.required("a-b", .integer(1...2))]))),
      .required("more", .dictionary(of: .boolean)), .required("x", .any),
      .required("long", .oneOf(["a", "b"].map { String(repeating: $0, count: 40) })),
    ])
    let endpoint = Endpoint.post(
      "/x", "x", at: .gateway, for: .anyone, "", query: [.optional("limit", .integer(1...5), "")],
      body: .json(body),
      answers: [.json(.object([])), .json(.oneOf(["ok"])), .other("text/html", "")])
    #expect(
      TypeScript([endpoint]).declarations() == """
        // The requests and answers of the public API. Generated from the endpoint table by
        // `make pages`; do not edit.

        export interface Endpoints {
          "POST /x": {
            path: undefined;
            query: {
              limit?: number;
            };
            body: {
              email: string;
              sex?: "F" | "M";
              phone?: string | null;
              note?: null | "" | string;
              rows: Array<{
                "a-b": number;
              }>;
              more: Record<string, boolean>;
              x: unknown;
              long:
                | "\(String(repeating: "a", count: 40))"
                | "\(String(repeating: "b", count: 40))";
            };
            answer: {} | "ok";
          };
        }

        """)
  }

  @Test("an answer without a JSON document has no type")
  func others() {
    let text = TypeScript([.export, .me]).declarations()
    #expect(text.contains("\"GET /auth/export\": {\n    path: undefined;"))
    #expect(text.contains("body: undefined;\n    answer: undefined;\n  };"))
    #expect(text.contains("answer: {\n      accountType: \"single\" | \"tp\";"))
  }
}
