// Places of names on a map: names that cover each other can't be read.

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** The height of a name in pixels. */
const height = 14;

/**
 * The places of a name around a point: right, left, above, below.
 * @param {{x: number, y: number}} point
 * @param {number} width of the name
 * @param {number} gap between the point and the name
 * @returns {Box[]}
 */
export function boxesAround({ x, y }, width, gap) {
  const top = y - height / 2;
  return [
    { x: x + gap, y: top, width, height }, { x: x - gap - width, y: top, width, height },
    { x: x - width / 2, y: y - gap - height, width, height },
    { x: x - width / 2, y: y + gap, width, height },
  ];
}

export class LabelPlaces {
  constructor() {
    /** @type {Box[]} */
    this.taken = [];
  }

  /**
   * Keeps a place free of names.
   * @param {Box} box
   */
  keep(box) {
    this.taken.push(box);
  }

  /**
   * Takes a place unless it overlaps one that is taken.
   * @param {Box} box
   * @returns {boolean} whether the place was free
   */
  take(box) {
    const isFree = this.taken.every(({ x, y, width, height }) => box.x >= x + width
      || x >= box.x + box.width || box.y >= y + height || y >= box.y + box.height);
    if (isFree) this.taken.push(box);
    return isFree;
  }

  /**
   * Takes the first free place.
   * @param {Box[]} boxes
   * @param {number} first the index of the place to try first
   * @returns {number} its index; -1 without a free place
   */
  takeFirst(boxes, first) {
    return [first, ...boxes.keys()].find((index) => {
      const box = boxes[index];
      return box !== undefined && this.take(box);
    }) ?? -1;
  }
}
