import { causeIn } from './causes.js';
import { findMetrics, isKnownMetric } from './extract/metrics.js';
import { findNames, nameKey } from './extract/names.js';
import { meaningWords, sharedWords } from './meaning-words.js';
import type { Knowledge } from './notes/knowledge.js';
import { quoteOf } from './quote.js';

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

export const asksForCause = (question: string): boolean => CAUSE.test(question);

/** What the part is looked for by. */
export const queryOf = ({ text }: OpenPart): string => text.slice(0, 200);

/** What a passage says on a part of the question. */
export interface Quote {
  document: number;
  start: number;
  end: number;
  text: string;
}

/** The quotes that answer a part: on its names, with most of its other words, and with a cause if it asks for one. */
export function quotesFor(part: OpenPart, known: Knowledge): Quote[] {
  const names = [...new Set(known.figures.map((f) => f.entity))];
  const asked = findNames(part.text, names).filter((n) => n.rank >= 2);
  const words = meaningWords(asked.reduce((text, { name }) => text.replaceAll(name, ' '), part.text));
  const quotes: Quote[] = [];
  for (const passage of known.passages) {
    const there = new Set(findNames(passage.text, [...names, ...asked.map((n) => n.name)]).map((n) => nameKey(n.name)));
    const only = onlyName(passage.document, known);
    if (only !== undefined) there.add(only);
    if (asked.length > 0 && !asked.some((n) => there.has(nameKey(n.name)))) continue;
    const shared = sharedWords(words, passage.text);
    if (words.length === 0 ? asked.length === 0 : shared * 2 < words.length || shared < 1) continue;
    const text = quoteOf(passage.text, { words, cause: part.cause });
    if (text !== undefined) quotes.push({ document: passage.document, start: passage.start, end: passage.end, text });
  }
  // Those that say the cause outright come first; of two on one place the first stands.
  if (part.cause) quotes.sort((a, b) => causeIn(b.text) - causeIn(a.text));
  const apart = (q: Quote, i: number): boolean => !quotes.slice(0, i).some((p) => p.text === q.text || overlap(p, q));
  return quotes.filter(apart).slice(0, 2);
}

/** A document all of whose figures are of one name is on that name, also where a passage does not repeat it. */
function onlyName(document: number, known: Knowledge): string | undefined {
  const keys = new Set(known.figures.filter((f) => f.document === document).map((f) => nameKey(f.entity)));
  return keys.size === 1 ? [...keys][0] : undefined;
}

const overlap = (a: Quote, b: Quote): boolean => a.document === b.document && a.start < b.end && b.start < a.end;

/** Whether figures of a measure that no list knows answer it. */
export const answeredByFigures = (part: OpenPart, known: Knowledge): boolean =>
  !part.cause && known.figures.some((f) => !isKnownMetric(f.metric) && part.text.toLowerCase().includes(f.metric));
