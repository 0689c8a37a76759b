/** The documents that the bench reads: deterministic, English-like, so that compression is neither free nor absurd. */
import { Buffer } from 'node:buffer';

const WORDS = (
  'the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one ' +
  'you were all her she there would their we him been has when who will no more if out so up said what its about than ' +
  'into them can only other time new some could these two may first then do any like my now over such our man me even ' +
  'most made after also did many off before must well back through years where much your way down should because long ' +
  'each just state those people too little how good world make very year still see own work men day get here old both ' +
  'between life being under three never know same last another while us might great go come since against right came ' +
  'take used himself few house use place during high without again home around small however found part school thought ' +
  'went say general once upon war left fact water head night almost light study order case matter party report figure'
).split(' ');

/**
 * About `size` bytes of text in lines of 15 words.
 * @param {number} size @param {number} seed
 */
export function benchText(size, seed) {
  let state = seed;
  /** @type {string[]} */
  const lines = [];
  for (let length = 0; length < size;) {
    const line = Array.from({ length: 15 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return WORDS[(state >> 8) % WORDS.length] ?? 'the';
    }).join(' ');
    lines.push(line);
    length += line.length + 1;
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Two documents, so large that no turn of a run reads what an earlier one read.
 * @param {number} turns
 * @returns {{ name: string, bytes: Buffer }[]}
 */
export function benchCorpus(turns) {
  const size = Math.max(64 * 1024, (turns + 2) * 4096);
  return [1, 2].map((seed) => ({ name: `bench-${seed}.txt`, bytes: Buffer.from(benchText(size, seed)) }));
}
