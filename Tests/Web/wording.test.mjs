// Every visible word of the pages is a text of both languages, and every text is used. The code is
// read with the parser of TypeScript; that literal keys exist is checked by `make lint`.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";

const ts = createRequire(import.meta.url)("/usr/share/nodejs/typescript");
const root = new URL("../../Sources/WebApp/", import.meta.url);
const names = ["it", "en"];

/** Attributes and options of elements whose value is read or heard. */
const spoken = new Set(["title", "alt", "placeholder", "label", "text", "hint", "heading",
  "aria-label", "aria-description", "aria-roledescription", "aria-valuetext", "summary"]);
/** Functions whose arguments from this index on are shown. */
const showing = new Map([["h", 2], ["show", 1], ["append", 0], ["replaceChildren", 0],
  ["prepend", 0], ["announce", 0], ["notice", 1], ["emptyState", 0], ["createTextNode", 0],
  ["confirm", 0], ["setCustomValidity", 0], ["toast", 0]]);

/** @param {string} name */
async function texts(name) {
  return JSON.parse(await readFile(new URL(`Text/${name}.json`, root), "utf8"));
}

/** The modules of the pages, parsed. */
async function sources() {
  const files = await readdir(root, { recursive: true });
  return Promise.all(files.filter((file) => file.endsWith(".js")).map(async (file) =>
    ts.createSourceFile(file, await readFile(new URL(file, root), "utf8"),
      ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS)));
}

/**
 * Calls a function for each node of a tree.
 * @param {object} node
 * @param {(node: any) => void} visit
 */
function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/**
 * The texts that an expression may have as its value, without those inside calls.
 * @param {any} node
 * @returns {string[]}
 */
function values(node) {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  }
  if (ts.isParenthesizedExpression(node)) return values(node.expression);
  if (ts.isConditionalExpression(node)) {
    return [...values(node.whenTrue), ...values(node.whenFalse)];
  }
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(values);
  if (ts.isBinaryExpression(node)) {
    const isComparison = ts.SyntaxKind.EqualsEqualsToken <= node.operatorToken.kind
      && node.operatorToken.kind <= ts.SyntaxKind.ExclamationEqualsEqualsToken;
    return isComparison ? [] : [...values(node.left), ...values(node.right)];
  }
  return [];
}

/** Names that are the same in all languages, those of the languages themselves among them. */
const constant = /TrackMe|Data4Help|AutomatedSOS|Track4Run|^Italiano$|^English$|^CanvasText$/g;
const keys = new Set(Object.keys(await texts("en")));

/**
 * Whether a text has a word of a language, two letters beside each other, and is not a key.
 * @param {string} text
 */
function isWord(text) {
  return !keys.has(text) && /\p{L}{2}/u.test(text.replace(constant, ""));
}

/**
 * The visible words that are written in the code.
 * @param {any} source
 * @returns {string[]}
 */
function words(source) {
  /** @type {string[]} */
  const found = [];
  /** @param {any} node */
  const judge = (node) => {
    for (const text of values(node).filter(isWord)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${source.fileName}:${line + 1}: ${JSON.stringify(text)}`);
    }
  };
  walk(source, (node) => {
    if (ts.isCallExpression(node)) {
      const name = node.expression.name?.text ?? node.expression.text;
      const first = showing.get(name);
      if (first !== undefined) node.arguments.slice(first).forEach(judge);
    }
    if (ts.isPropertyAssignment(node) && spoken.has(node.name.text)) judge(node.initializer);
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken
      && ["textContent", "innerText", "title", "placeholder", "alt"]
        .includes(node.left.name?.text)) judge(node.right);
  });
  return found;
}

/**
 * The keys that are composed so that the gateway does not find their beginning: it selects the
 * texts of a page by literals, and by beginnings that end before a dot.
 * @param {any} source
 * @returns {string[]}
 */
function hidden(source) {
  /** @type {string[]} */
  const found = [];
  walk(source, (node) => {
    if (!ts.isCallExpression(node)) return;
    const name = node.expression.name?.text ?? node.expression.text;
    const [key] = node.arguments;
    if (!["t", "hasText", "nameOf"].includes(name) || !key) return;
    const isCut = ts.isTemplateExpression(key) && !/^$|\.$/.test(key.head.text);
    const isSum = ts.isBinaryExpression(key);
    const isChoice = name === "nameOf" && ts.isConditionalExpression(key);
    if (isCut || isSum || isChoice) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${source.fileName}:${line + 1}: ${key.getText()}`);
    }
  });
  return found;
}

/** A pattern of the keys that a template with values in it may give; null for other templates. */
function pattern(node) {
  const parts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  if (!/^[a-z]\w*\./.test(parts[0])) return null;
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".+")}$`);
}

/** @param {string | Record<string, string>} entry */
const forms = (entry) => typeof entry === "string" ? [entry] : Object.values(entry);

/** @param {string | Record<string, string>} entry */
const places = (entry) => [...new Set(forms(entry).flatMap((text) => text.match(/\{\w+\}/g) ?? []))]
  .sort();

test("the code of the pages contains no visible word", async () => {
  assert.deepEqual((await sources()).flatMap(words), []);
});

test("words in the code are found wherever a page may show them", () => {
  const parse = (code) => words(
    ts.createSourceFile("x.js", code, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS));
  for (const code of ['h("p", {}, "Hello")', 'h("p", {}, ok ? "Yes" : t("no"))',
    'show(place, `${count} runners`)', 'h("a", { title: "Open" })', 'node.textContent = "Done"',
    'field({ label: "Name" })', 'h("p", {}, ["a" + "bc"])']) {
    assert.equal(parse(code).length, 1, code);
  }
  for (const code of ['h("p", { class: "muted" }, t("a.b"))', 'h("p", {}, state === "open" && x)',
    'show(place, " · ", "→")', 'h("input", { name: "mail" })']) {
    assert.deepEqual(parse(code), [], code);
  }
});

test("the gateway finds the beginning of every composed key", async () => {
  assert.deepEqual((await sources()).flatMap(hidden), []);
  const parse = (code) => hidden(
    ts.createSourceFile("x.js", code, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS));
  for (const code of ["t(`state${name}`)", 't("state." + name)', 'nameOf(a ? "x" : "y", z)']) {
    assert.equal(parse(code).length, 1, code);
  }
  for (const code of ["t(`state.${name}`)", 't(a ? "x.y" : "x.z")', "nameOf(prefix, z)"]) {
    assert.deepEqual(parse(code), [], code);
  }
});

test("both languages have the same texts, with the same places and forms", async () => {
  const [it, en] = await Promise.all(names.map(texts));
  assert.deepEqual(Object.keys(it).sort(), Object.keys(en).sort());
  for (const [key, entry] of Object.entries(en)) {
    assert.deepEqual(places(it[key]), places(entry), key);
    assert.equal(typeof it[key], typeof entry, key);
  }
});

test("no text is empty, and each with plural forms has those of its language", async () => {
  for (const name of names) {
    const known = new Intl.PluralRules(name).resolvedOptions().pluralCategories;
    for (const [key, entry] of Object.entries(await texts(name))) {
      for (const text of forms(entry)) {
        assert.equal(typeof text, "string", key);
        assert.notEqual(text, "", key);
        assert.equal(text, text.trim(), key);
      }
      if (typeof entry === "string") continue;
      // Whole millions have a separate plural form in Italian; `other` replaces it.
      for (const form of known.filter((each) => each !== "many")) assert.ok(entry[form], key);
      assert.deepEqual(Object.keys(entry).filter((form) => !known.includes(form)), [], key);
    }
  }
});

test("apostrophes are typographic, and beats per minute are written bpm", async () => {
  for (const name of names) {
    for (const [key, entry] of Object.entries(await texts(name))) {
      for (const text of forms(entry)) assert.doesNotMatch(text, /'|BPM/, `${name}: ${key}`);
    }
  }
});

test("every text is used", async () => {
  /** @type {Set<string>} */
  const used = new Set();
  /** @type {RegExp[]} */
  const patterns = [];
  const prefixes = new Set();
  for (const source of await sources()) {
    walk(source, (node) => {
      if (ts.isStringLiteralLike(node)) used.add(node.text);
      if (ts.isTemplateExpression(node)) {
        const found = pattern(node);
        if (found) patterns.push(found);
      }
      // `nameOf` builds a key from a prefix and a value of the API.
      if (ts.isCallExpression(node) && node.expression.text === "nameOf") {
        for (const prefix of values(node.arguments[0])) prefixes.add(prefix);
      }
      if (ts.isStringLiteralLike(node) && /^[a-z]\w*\.\w+$/.test(node.text)) {
        prefixes.add(node.text);
      }
    });
  }
  const isUsed = (key) => used.has(key) || patterns.some((each) => each.test(key))
    || [...prefixes].some((prefix) => key.startsWith(`${prefix}.`));
  const unused = [...keys].filter((key) => !isUsed(key));
  assert.deepEqual(unused, []);
});
