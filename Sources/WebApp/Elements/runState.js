// The state of an organised run as a word with a colour.

import { h } from "../Client/dom.js";
import { t } from "../Client/language.js";

const looks = /** @type {const} */ ({
  cancelled: "tag tag-negative", draft: "tag tag-warning", open: "tag tag-positive",
  live: "tag tag-positive", ended: "tag",
});

/** @param {keyof typeof looks} state */
export function stateTag(state) {
  return h("span", { class: looks[state] }, t(`ownRunState.${state}`));
}
