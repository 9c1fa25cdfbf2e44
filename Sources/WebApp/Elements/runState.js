// The state of an organised run as a word with a colour, and when its results no longer change.

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

/**
 * Milliseconds from the end of a run until its results are stored: half a minute in which late
 * positions are awaited, and as much again for the computation.
 */
const settling = 60_000;

/**
 * Whether the placings of an ended run no longer change.
 * @param {number} endedAt
 * @param {number} now
 */
export function areFinal(endedAt, now) {
  return now >= endedAt + settling;
}
