const EMPTY = new Set(
  (
    'a an the in on at of for to by as it its this that these those and or but with from was were is are be been did do does has have ' +
    'had why how who what when where which whether explain describe say tell list please reason reasons give find out so about into their there'
  ).split(' '),
);

/** Words that carry meaning, in a common form of English, and pairs of Han characters. */
export function meaningWords(text: string): string[] {
  const latin = [...text.toLowerCase().matchAll(/[\p{Script=Latin}\d]+/gu)]
    .map(([word]) => word)
    .filter((word) => word.length > 2 && !EMPTY.has(word))
    .map((word) => word.replace(/(?:ing|ed|es|s|e)$/u, ''));
  const han = [
    ...text.replace(/为什么|为何|原因|什么|请|说明|解释|的|了|吗/gu, ' ').matchAll(/\p{Script=Han}{2,}/gu),
  ].flatMap(([run]) => Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2)));
  return [...new Set([...latin, ...han])];
}

/** How many of the words a text has. */
export function sharedWords(words: readonly string[], text: string): number {
  const said = new Set(meaningWords(text));
  return words.filter((word) => said.has(word)).length;
}
