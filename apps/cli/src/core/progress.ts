/** What a follower knows of a run: a fold over its events, in whatever order the owners' events meet. */
import type { WaymarkEvent } from '@waymark/contracts/wire';

export interface Progress {
  readonly state: string;
  readonly phase: string;
  readonly turns: number;
  readonly requests: number;
  /** The turn of the main request that is on its way. */
  readonly open: number | null;
  readonly blocks: number;
  readonly corrections: number;
  readonly reviews: number;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly reason: string | null;
  /** Last sequence seen, by owner. */
  readonly cursors: Readonly<Record<string, number>>;
  /** The runtime's sequence of an intent whose outcome has not been seen. */
  readonly underWay: number | null;
}

/** From here another viewer goes on and misses nothing (L14): a request under way is told from its intent. */
export function goOnFrom({ cursors, underWay }: Progress): Readonly<Record<string, number>> {
  return underWay === null ? cursors : { ...cursors, runtime: underWay - 1 };
}

export const newProgress = (): Progress => ({
  ...{ state: 'queued', phase: 'exploring', turns: 0, requests: 0, open: null, blocks: 0, corrections: 0, reviews: 0 },
  ...{ outcome: null, code: null, reason: null, cursors: {}, underWay: null },
});

export function evolveProgress(before: Progress, event: WaymarkEvent): Progress {
  const p = { ...before, cursors: { ...before.cursors, [event.owner]: event.seq } };
  const { data } = event;
  switch (`${event.owner}.${nameOf(event)}`) {
    case 'runtime.RequestIntended':
      return {
        ...p,
        state: 'running',
        requests: numberOf(data['request'], p.requests),
        underWay: event.seq,
        open: data['purpose'] === 'summarize' ? null : numberOf(data['turn'], p.turns + 1),
      };
    case 'runtime.RequestSettled':
      return {
        ...p,
        turns: data['outcome'] === 'completed' ? (p.open ?? p.turns) : p.turns,
        open: null,
        underWay: null,
      };
    case 'runtime.PhaseChanged':
      return { ...p, phase: 'finishing' };
    case 'runtime.RunParked':
      return { ...p, state: 'parked' };
    case 'runtime.RunWoken':
      return { ...p, state: 'running' };
    case 'runtime.ReviewDispatched':
      return { ...p, reviews: p.reviews + 1 };
    case 'runtime.RunEnding':
      return {
        ...p,
        state: 'ending',
        phase: 'ended',
        outcome: textOf(data['outcome']),
        code: textOf(data['code']),
        reason: textOf(data['reason']),
      };
    case 'runtime.RunEnded':
      return { ...p, state: 'ended', phase: 'ended', outcome: textOf(data['outcome']), code: textOf(data['code']) };
    case 'publication.BlockPublished':
      return { ...p, blocks: p.blocks + 1 };
    case 'publication.BlockCorrected':
      return { ...p, corrections: p.corrections + 1 };
    default:
      return p; // other owners' and later facts change nothing here
  }
}

export const nameOf = (event: WaymarkEvent): string => event.type.slice(event.type.lastIndexOf('.') + 1);
const numberOf = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
