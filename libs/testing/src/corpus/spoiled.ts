import { DISCLAIMER, type CorpusFile, type Draft, type Kind } from './document.js';
import type { Rng } from './rng.js';
import { sentence } from './tell.js';
import { fullName, otherValue, spoken, type Language, type MetricSpec, type World } from './world.js';

/** A figure of which a second document says something else: in conflict with the first, or correcting it. */
export interface Spoiled {
  brand: string;
  metric: MetricSpec;
  period: string;
  value: string;
  other: string;
}

/** So many different figures. */
export function spoilFigures(rng: Rng, world: World, count: number): Spoiled[] {
  const spoiled: Spoiled[] = [];
  while (spoiled.length < count) {
    const brand = rng.pick(world.brands);
    const metric = rng.pick(world.metrics.filter((m) => m.prose));
    const period = rng.pick(world.periods);
    const value = world.value(brand, metric, period);
    const drawn = { brand, metric, period, value, other: otherValue(rng, metric, value) };
    if (!spoiled.some((s) => isAt(s, brand, metric, period))) spoiled.push(drawn);
  }
  return spoiled;
}

export const isAt = (s: Spoiled, brand: string, metric: MetricSpec, period: string): boolean =>
  s.brand === brand && s.metric === metric && s.period === period;

export function conflictLetter(
  rng: Rng,
  world: World,
  { brand, metric, period, other }: Spoiled,
  language: Language,
  stem = 'another-view',
): Draft {
  const kind = rng.pick(['md', 'html', 'txt'] as const);
  const text = sentence(rng, world, brand, metric, period, other, language);
  const title = language === 'zh' ? '另一来源的说明' : 'Another view';
  return {
    name: `${stem}.${kind}`,
    kind,
    language,
    title,
    parts: [
      { kind: 'paragraph', text: DISCLAIMER[language] },
      { kind: 'paragraph', text },
    ],
  };
}

export function correctionNotice(rng: Rng, world: World, c: Spoiled, language: Language): Draft {
  const kind: Kind = rng.pick(['md', 'html', 'txt'] as const);
  const name = fullName(world, c.brand, language);
  const was = spoken(c.metric, c.value, language);
  const is = spoken(c.metric, c.other, language);
  const plural = c.metric.en.startsWith('assets');
  const text =
    language === 'zh'
      ? rng.pick([
          `${name}${c.period}年的${c.metric.zh}由${was}更正为${is}。`,
          `${c.period}年${name}的${c.metric.zh}原为${was}，应为${is}。`,
        ])
      : rng.pick([
          `The ${c.metric.en} of ${name} for ${c.period} ${plural ? 'were' : 'was'} wrongly given as ${was}; the correct figure is ${is}.`,
          `The ${c.metric.en} of ${name} for ${c.period} ${plural ? 'are' : 'is'} corrected from ${was} to ${is}.`,
          `For ${c.period}, the ${c.metric.en} of ${name} should read ${is} instead of ${was}.`,
        ]);
  const title = language === 'zh' ? '更正公告' : rng.pick(['Correction', 'Erratum', 'Corrected figure']);
  return {
    name: `correction-notice-${c.period}.${kind}`,
    kind,
    language,
    title,
    parts: [
      { kind: 'paragraph', text: DISCLAIMER[language] },
      { kind: 'paragraph', text },
    ],
  };
}

export function damaged(rng: Rng): CorpusFile {
  const bytes = new Uint8Array(600);
  bytes.set(new TextEncoder().encode('%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R'));
  for (let i = 60; i < bytes.length; i++) bytes[i] = rng.int(0, 255);
  return { name: 'damaged.pdf', kind: 'pdf', bytes, text: null };
}
