import { DISCLAIMER, type Draft, type Part } from './document.js';
import type { Rng } from './rng.js';
import {
  CHANGED,
  CITIES,
  COUNTRIES,
  COUNTRIES_ZH,
  DONE,
  DONE_ZH,
  FILED,
  MONTHS,
  PROPOSALS,
  REASONS,
  SEEN,
  SEEN_ZH,
  STEMS,
  TRADES,
  TRADES_ZH,
  VENUES,
} from './teaching-words.js';
import { fullName, type Language, type World } from './world.js';

/** What of a corpus is long: none of it states a figure that is asked for, and each of it could. */
export function longDocuments(rng: Rng, world: World, language: Language): Draft[] {
  const other: Language = language === 'zh' ? 'en' : 'zh';
  return [
    positions(rng, world, language),
    trades(rng, world, language),
    votes(rng, world),
    filings(rng, world),
    commentary(rng, world, other),
  ];
}

const ROWS = { positions: 1500, trades: 1450, votes: 1080, filings: 540 };

const company = (rng: Rng): string => `${rng.pick(STEMS)} ${rng.pick(TRADES)}`;
const day = (rng: Rng, period: string): string =>
  `${period}-${String(rng.int(1, 12)).padStart(2, '0')}-${String(rng.int(1, 28)).padStart(2, '0')}`;
const cents = (n: number): string => `${Math.floor(n / 100)}.${String(n % 100).padStart(2, '0')}`;
const code = (rng: Rng): string => `XX${rng.int(1_000_000, 9_999_999)}`;

/** The largest securities of each quarter, one row a security. */
function positions(rng: Rng, world: World, language: Language): Draft {
  const zh = language === 'zh';
  const quarters = world.periods.flatMap((period) => [1, 2, 3, 4].map((q) => `${period} Q${q}`));
  const each = Math.ceil(ROWS.positions / (quarters.length * world.brands.length));
  const rows: string[][] = [];
  for (const quarter of quarters) {
    for (const brand of world.brands) {
      let weight = rng.int(420, 690);
      for (let rank = 1; rank <= each; rank++) {
        weight = Math.max(9, weight - rng.int(4, 30));
        const c = rng.int(0, COUNTRIES.length - 1);
        const t = rng.int(0, TRADES.length - 1);
        const name = zh ? `${rng.pick(STEMS)}${TRADES_ZH[t]}` : `${rng.pick(STEMS)} ${TRADES[t]}`;
        const row = [quarter, fullName(world, brand, language), String(rank), name, code(rng)];
        rows.push([...row, (zh ? COUNTRIES_ZH : COUNTRIES)[c] ?? '', cents(weight), zh ? '虚构' : 'invented']);
      }
    }
  }
  const header = zh
    ? ['季度', '基金名称', '名次', '证券', '代码', '国家', '占比（%）', '备注']
    : ['quarter', 'fund', 'rank', 'security', 'code', 'country', 'weight (%)', 'remark'];
  return {
    ...{ name: `securities-held-${world.periods.at(-1)}.csv`, kind: 'csv', language, title: '' },
    parts: [{ kind: 'table', header, rows }],
  };
}

function trades(rng: Rng, world: World, language: Language): Draft {
  const zh = language === 'zh';
  const rows = world.periods.flatMap((period) =>
    Array.from({ length: Math.ceil(ROWS.trades / world.periods.length) }, () => [
      day(rng, period),
      fullName(world, rng.pick(world.brands), language),
      rng.pick(zh ? ['买入', '卖出'] : ['buy', 'sell']),
      company(rng),
      code(rng),
      String(rng.int(2, 900) * 10),
      cents(rng.int(180, 48_000)),
      rng.pick(VENUES),
      zh ? '虚构' : 'invented',
    ]).sort((a, b) => (a[0] ?? '').localeCompare(b[0] ?? '')),
  );
  const header = zh
    ? ['日期', '基金名称', '方向', '证券', '代码', '股数', '价格', '场所', '备注']
    : ['date', 'fund', 'side', 'security', 'code', 'shares', 'price', 'venue', 'remark'];
  return {
    ...{ name: 'trade-log.csv', kind: 'csv', language, title: '' },
    parts: [{ kind: 'table', header, rows }],
  };
}

/** How votes were cast, one table a year. */
function votes(rng: Rng, world: World): Draft {
  const parts: Part[] = [{ kind: 'paragraph', text: DISCLAIMER.en }];
  for (const period of world.periods) {
    parts.push({ kind: 'heading', text: `Meetings of ${period}` });
    const rows = Array.from({ length: Math.ceil(ROWS.votes / world.periods.length) }, () => [
      day(rng, period),
      fullName(world, rng.pick(world.brands), 'en'),
      company(rng),
      rng.pick(PROPOSALS),
      rng.pick(['for', 'against', 'abstained']),
      rng.pick(REASONS),
    ]).sort((a, b) => (a[0] ?? '').localeCompare(b[0] ?? ''));
    parts.push({ kind: 'table', header: ['Date', 'Fund', 'Company', 'Proposal', 'Vote', 'Remark'], rows });
  }
  return { name: 'record-of-votes.md', kind: 'md', language: 'en', title: 'Record of votes', parts };
}

/** Disclosures that were filed, one paragraph a filing. */
function filings(rng: Rng, world: World): Draft {
  const parts: Part[] = [
    { kind: 'paragraph', text: DISCLAIMER.en },
    {
      kind: 'paragraph',
      text: 'Each filing is told in words; the documents themselves are not part of this register.',
    },
  ];
  for (const period of world.periods) {
    parts.push({ kind: 'heading', text: `Filings of ${period}` });
    const number = Math.ceil(ROWS.filings / world.periods.length);
    for (let n = 1; n <= number; n++) {
      const month = MONTHS[Math.min(11, Math.floor(((n - 1) * 12) / number))];
      const [a, b] = rng.shuffle(CHANGED);
      const [x, y] = rng.shuffle(CITIES);
      const name = fullName(world, rng.pick(world.brands), 'en');
      const text = `Filing ${n} of ${month}: ${name} filed ${rng.pick(FILED)} in ${x} and in ${y}; ${a}, and ${b}. Received by the desk of ${rng.pick(STEMS)} & ${rng.pick(STEMS)}.`;
      parts.push({ kind: 'paragraph', text });
    }
  }
  return { name: 'register-of-filings.html', kind: 'html', language: 'en', title: 'Register of filings', parts };
}

/** A month a heading, a fund a paragraph. */
function commentary(rng: Rng, world: World, language: Language): Draft {
  const zh = language === 'zh';
  const parts: Part[] = [{ kind: 'paragraph', text: DISCLAIMER[language] }];
  for (const period of world.periods) {
    for (const [m, month] of MONTHS.entries()) {
      parts.push({ kind: 'heading', text: zh ? `${period}年${m + 1}月` : `${month} ${period}` });
      for (const brand of world.brands) {
        const name = fullName(world, brand, language);
        const [a, b] = rng.shuffle(zh ? DONE_ZH : DONE);
        const [s, t] = rng.shuffle(zh ? SEEN_ZH : SEEN);
        const stock = `${rng.pick(STEMS)}${zh ? rng.pick(TRADES_ZH) : ` ${rng.pick(TRADES)}`}`;
        const text = zh
          ? `${s}${name}本月${a}，并${b}。其间${stock}的公告受到关注。${t}`
          : `${s} ${name} ${a} and ${b}. The announcement of ${stock} was much read. ${t}`;
        parts.push({ kind: 'paragraph', text });
      }
    }
  }
  return {
    ...{ name: zh ? 'monthly-notes-zh.txt' : 'monthly-notes.txt', kind: 'txt', language },
    ...{ title: zh ? '每月记事' : 'Monthly notes', parts },
  };
}
