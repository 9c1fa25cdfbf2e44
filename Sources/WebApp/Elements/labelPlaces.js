// Places of names on a map: names that cover each other can't be read.

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

export class LabelPlaces {
  constructor() {
    /** @type {Box[]} */
    this.taken = [];
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
}
