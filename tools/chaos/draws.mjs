/** Draws from a seed: the same seed gives the same draws, on every machine. */

/**
 * @typedef {object} Draws
 * @property {(low: number, high: number) => number} int both ends included
 * @property {<T>(list: readonly T[]) => T[]} shuffle
 * @property {<T>(list: readonly T[]) => () => T} deck deals all of it, shuffled, then all of it again
 */

/** @param {number} seed @returns {Draws} */
export function drawsOf(seed) {
  let state = seed >>> 0;
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  /** @type {Draws['int']} */
  const int = (low, high) => low + Math.floor(next() * (high - low + 1));
  /** @type {Draws['shuffle']} */
  const shuffle = (list) => {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i -= 1) {
      const j = int(0, i);
      [out[i], out[j]] = [/** @type {any} */ (out[j]), /** @type {any} */ (out[i])];
    }
    return out;
  };
  /** @type {Draws['deck']} */
  const deck = (list) => {
    /** @type {any[]} */
    let left = [];
    return () => {
      if (left.length === 0) left = shuffle(list);
      return left.pop();
    };
  };
  return { int, shuffle, deck };
}
