// Requirements: UI-14 (the modules are sent without their comments).
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

const typescript = createRequire(import.meta.url)("/usr/share/nodejs/typescript");
const root = new URL("../../Sources/WebApp/", import.meta.url);

test("no line of a literal begins like a comment, which the gateway would remove", () => {
  const modules = readdirSync(root, { recursive: true }).filter((name) => name.endsWith(".js"));
  assert.ok(modules.length > 100);
  for (const name of modules) {
    const text = readFileSync(new URL(name, root), "utf8");
    const source = typescript.createSourceFile(name, text, typescript.ScriptTarget.Latest);
    const check = (node) => {
      if (typescript.isTemplateLiteralToken(node) || typescript.isStringLiteral(node)) {
        const lines = node.getText(source).split("\n").slice(1);
        assert.ok(!lines.some((line) => /^ *(\/\/|\/\*)/.test(line)), `${name}: ${lines}`);
      }
      typescript.forEachChild(node, check);
    };
    check(source);
  }
});
