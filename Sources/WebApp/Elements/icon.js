// Icons of one sprite. They decorate: the text beside an icon carries the meaning.

import { svg } from "../Client/dom.js";

const sprite = new URL("../Pictures/icons.svg", import.meta.url).href;

/**
 * An icon by its name in `Pictures/icons.svg`.
 * @param {string} name
 */
export function icon(name) {
  return svg("svg", { class: "icon", "aria-hidden": "true", focusable: "false" },
    svg("use", { href: `${sprite}#${name}` }));
}
