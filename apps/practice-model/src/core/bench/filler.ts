const WORDS = (
  'the of and to in a is that for it as was with be by on not at but are this have from or an they which one all her ' +
  'there would their been has when who will no more if out so up what its about than into them can only other time new'
).split(' ');

/** English-like text, always the same, so that it compresses neither freely nor absurdly. */
const TEXT = (() => {
  let seed = 12_345;
  const out: string[] = [];
  for (let i = 0; i < 1500; i++) {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    out.push(WORDS[(seed >> 8) % WORDS.length] ?? 'the');
  }
  return out.join(' ');
})();

/** `size` characters of it; none for a size below one. */
export const filler = (size: number): string => TEXT.slice(0, Math.max(0, size));
