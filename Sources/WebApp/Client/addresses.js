// Mail addresses typed or pasted as a list.

const address = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>".]+$/;

/**
 * The addresses of a text, separated by spaces, commas, semicolons or line breaks; `Name <address>`
 * is also accepted.
 * @param {string} text
 * @returns {{addresses: string[], wrong: string[]}} each address once; wrong: the other parts
 */
export function addressesOf(text) {
  /** @type {Map<string, string>} */
  const addresses = new Map();
  /** @type {string[]} */
  const wrong = [];
  for (const line of text.split(/[\n,;]+/)) {
    const inBrackets = /<([^<>]*)>/.exec(line)?.[1];
    for (const part of (inBrackets ?? line).split(/\s+/)) {
      if (part === "") continue;
      if (address.test(part)) addresses.set(part.toLowerCase(), part);
      else wrong.push(part);
    }
  }
  return { addresses: [...addresses.values()], wrong };
}
