import { findMetrics, isKnownMetric } from './extract/metrics.js';
import { findNames, nameKey } from './extract/names.js';
import type { Knowledge, Passage } from './notes/knowledge.js';

/** A part of the question that no table of figures answers: passages may. */
export interface OpenPart {
  text: string;
  /** It asks for a cause, so a passage must give one. */
  cause: boolean;
}

const BORDERS =
  /[?？!！。；;\n]+|(?<!\b\p{L})\.(?=\s|$)|,?\s+(?:and|or|but)\s+(?=(?:also\s+)?(?:why|how|who|when|where|which|what|whether|explain|say why)\b)|[，,]\s*(?=(?:并|且|以及|还有|同时)?(?:请)?(?:说明|解释|分析)?(?:其)?(?:为什么|为何|何时|谁|哪|原因))/giu;
const CAUSE =
  /\b(?:why|what (?:caused|led to|explains)|(?:the )?reasons?|causes? (?:of|for))\b|为什么|为何|原因|缘由/iu;
const ASKS =
  /\b(?:why|how|who|whom|whose|when|where|which|what|whether|explain|describe|summari[sz]e|list|tell|find out|reasons?)\b|为什么|为何|原因|如何|怎么|怎样|谁|何时|何地|哪|什么|说明|解释|描述|总结|是否|吗/iu;
/** What every report of figures says anyway. */
const COMPARES =
  /compar|figures?|numbers?|overview|differ|conflict|contradict|disagree|correct|比较|对比|指标|数据|概况|差异|矛盾|更正|不一致/iu;
const GIVES_CAUSE =
  /\b(?:because|due to|owing to|reasons?|as a result|caused by|thanks to|driven by|led to|in order to|since (?!(?:19|20)\d{2}))|由于|因为|原因|因(?!此)|导致|所致|为了/iu;

/** Parts that ask for something else than figures, each once, in order, at most six. */
export function openParts(question: string): OpenPart[] {
  const texts = question
    .split(BORDERS)
    .map((part) => part.trim().replace(/^(?:and|or|but|also)\s+/iu, ''))
    .filter((part) => part.length >= 3);
  const parts = texts.flatMap((text): OpenPart[] => {
    if (CAUSE.test(text)) return [{ text, cause: true }];
    if (findMetrics(text).length > 0 || COMPARES.test(text) || !ASKS.test(text)) return [];
    return [{ text, cause: false }];
  });
  return parts.filter(({ text }, i) => parts.findIndex((other) => other.text === text) === i).slice(0, 6);
}

/** What the part is looked for by. */
export const queryOf = ({ text }: OpenPart): string => text.slice(0, 200);

/** The passages that answer a part: on its names, with most of its other words, and with a cause if it asks for one. */
export function passagesFor(part: OpenPart, known: Knowledge): Passage[] {
  const names = [...new Set(known.figures.map((f) => f.entity))];
  const asked = findNames(part.text, names).filter((n) => n.rank >= 2);
  const words = wordsOf(asked.reduce((text, { name }) => text.replaceAll(name, ' '), part.text));
  return known.passages
    .filter((passage) => {
      if (part.cause && !GIVES_CAUSE.test(passage.text)) return false;
      const there = new Set(
        findNames(passage.text, [...names, ...asked.map((n) => n.name)]).map((n) => nameKey(n.name)),
      );
      if (asked.length > 0 && !asked.some((n) => there.has(nameKey(n.name)))) return false;
      const said = new Set(wordsOf(passage.text));
      const shared = words.filter((word) => said.has(word)).length;
      return words.length === 0 ? asked.length > 0 : shared * 2 >= words.length && shared >= 1;
    })
    .slice(0, 2);
}

/** Whether figures of a measure that no list knows answer it. */
export const answeredByFigures = (part: OpenPart, known: Knowledge): boolean =>
  !part.cause && known.figures.some((f) => !isKnownMetric(f.metric) && part.text.toLowerCase().includes(f.metric));

const EMPTY = new Set(
  (
    'a an the in on at of for to by as it its this that these those and or but with from was were is are be been did do does has have ' +
    'had why how who what when where which whether explain describe say tell list please reason reasons give find out so about into their there'
  ).split(' '),
);

/** Words that carry meaning, in a common form of English, and pairs of Han characters. */
function wordsOf(text: string): string[] {
  const latin = [...text.toLowerCase().matchAll(/[\p{Script=Latin}\d]+/gu)]
    .map(([word]) => word)
    .filter((word) => word.length > 2 && !EMPTY.has(word))
    .map((word) => word.replace(/(?:ing|ed|es|s|e)$/u, ''));
  const han = [
    ...text.replace(/为什么|为何|原因|什么|请|说明|解释|的|了|吗/gu, ' ').matchAll(/\p{Script=Han}{2,}/gu),
  ].flatMap(([run]) => Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2)));
  return [...new Set([...latin, ...han])];
}
