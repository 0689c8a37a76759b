import { DISCLAIMER, type Draft, type Part } from './document.js';
import type { Rng } from './rng.js';
import { CHANGED, DONE, MONTHS, SEEN, STEMS, TRADES } from './teaching-words.js';
import { drawValue, fullName, metricLabel, type MetricSpec, type World } from './world.js';

/** Other names of the survey: with them a table of one measure is longer than a page. */
const PEERS = 64;

/** A long PDF: chapters in words, and of each measure that prose can name one table, too long for a page. */
export function annualReport(rng: Rng, world: World): Draft {
  const parts: Part[] = [{ kind: 'paragraph', text: DISCLAIMER.en }];
  const peers = [...peerNames(rng, world.type)].slice(0, PEERS);
  for (const metric of world.metrics.filter((m) => m.prose)) {
    for (const text of chapter(rng, world)) parts.push({ kind: 'paragraph', text });
    parts.push({ kind: 'heading', text: `Survey: ${withUnit(metric)}` }, survey(rng, world, metric, peers));
  }
  const year = world.periods.at(-1) ?? '';
  return { name: `survey-of-the-year-${year}.pdf`, kind: 'pdf', language: 'en', title: `Survey of ${year}`, parts };
}

const withUnit = (metric: MetricSpec): string =>
  metric.unit === '' ? metricLabel(metric, 'en') : `${metricLabel(metric, 'en')} (${metric.unit})`;

function survey(rng: Rng, world: World, metric: MetricSpec, peers: string[]): Part {
  const own = world.brands.map((brand) => [
    fullName(world, brand, 'en'),
    ...world.periods.map((period) => world.value(brand, metric, period)),
  ]);
  const others = peers.map((name) => [name, ...world.periods.map(() => drawValue(rng, metric))]);
  const rows = [...own, ...others].sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
  return { kind: 'table', header: [world.type === 'ETF' ? 'ETF' : 'Fund', ...world.periods], rows };
}

function* peerNames(rng: Rng, type: string): Generator<string> {
  for (const trade of rng.shuffle(TRADES)) for (const stem of rng.shuffle(STEMS)) yield `${stem} ${trade} ${type}`;
}

/** What happened, month by month. */
function chapter(rng: Rng, world: World): string[] {
  return MONTHS.map((month) => {
    const name = fullName(world, rng.pick(world.brands), 'en');
    const [a, b] = rng.shuffle(SEEN);
    const [c] = rng.shuffle(CHANGED);
    return `${month}. ${a} ${name} ${rng.pick(DONE)}. In its papers ${c}. ${b} The visit to ${rng.pick(STEMS)} ${rng.pick(TRADES)} is told in the appendix.`;
  });
}
