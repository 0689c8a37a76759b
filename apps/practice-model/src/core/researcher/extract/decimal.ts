/** Exact decimals as strings: moving the point is all that is needed to compare units. */
export function shiftPoint(value: string, places: number): string {
  const negative = value.startsWith('-');
  const [whole = '0', part = ''] = value.replace(/^[-+]/u, '').split('.');
  const digits = whole + part;
  const point = whole.length + places;
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0');
  const at = point <= 0 ? 1 : point;
  return normal(`${negative ? '-' : ''}${padded.slice(0, at)}.${padded.slice(at)}`);
}

/** One spelling for one number: no leading or trailing zeros, no `-0`. */
export function normal(value: string): string {
  const negative = value.startsWith('-');
  const [whole = '', part = ''] = value.replace(/^[-+]/u, '').split('.');
  const left = whole.replace(/^0+(?=\d)/u, '') || '0';
  const right = part.replace(/0+$/u, '');
  const text = right === '' ? left : `${left}.${right}`;
  return negative && text !== '0' ? `-${text}` : text;
}

export const isGreater = (a: string, b: string): boolean => Number(a) > Number(b);

/** Unit families with the places between a unit and the family's base. */
const FAMILIES: Record<string, [base: string, places: number]> = {
  '%': ['%', 0],
  bp: ['%', -2],
  pp: ['%', 0],
  亿元: ['CNY million', 2],
  亿: ['CNY million', 2],
  亿人民币: ['CNY million', 2],
  万元: ['CNY million', -2],
  亿美元: ['USD million', 2],
  亿欧元: ['EUR million', 2],
  百万欧元: ['EUR million', 0],
  百万元: ['CNY million', 0],
  个: ['', 0],
  只: ['', 0],
};

/** Value and unit in the family's base, so that 35 bp and 0.35 % are the same figure. */
export function inBase(value: string, unit: string): { value: string; unit: string } {
  const family = FAMILIES[unit];
  if (family) return { value: shiftPoint(value, family[1]), unit: family[0] };
  const scaled = /^(?:(\S+) )?(thousand|million|billion|trillion)$/u.exec(unit);
  if (!scaled) return { value: normal(value), unit };
  const places = { thousand: -3, million: 0, billion: 3, trillion: 6 }[scaled[2] as 'million'];
  return { value: shiftPoint(value, places), unit: [scaled[1], 'million'].filter(Boolean).join(' ') };
}
