/** Characters of a document's name that a sentence shows. */
const SHOWN = 60;

/** A name from outside as quoted data in a one-line sentence: no control characters, line ends or quotes of its own. */
export function quoted(name: string): string {
  const plain = name.replace(/[\p{C}\p{Z}"“”]+/gu, ' ').trim();
  const characters = Array.from(plain);
  return `"${characters.length > SHOWN ? `${characters.slice(0, SHOWN - 1).join('')}…` : plain}"`;
}
