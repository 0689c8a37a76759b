import type { Purpose } from '../protocol/answer.js';

/** Which requests a rule is about; what is left out matches everything. */
export interface FaultMatch {
  model?: string;
  purpose?: Purpose;
  /** Start of the `x-waymark-request` header. */
  idPrefix?: string;
  /** Bytes of the body, at least. */
  minBytes?: number;
  /** Only the n-th request (from 1) among those that match the rest. */
  nth?: number;
  /** Every n-th among them. */
  every?: number;
}

/** What goes wrong. Those that hang end with the client's disconnect or the server's hold time. */
export type Fault =
  | { fault: 'status'; status: number; retryAfter?: number | string; code?: string; body?: boolean }
  | { fault: 'stall' }
  | { fault: 'stall_after'; bytes: number }
  | { fault: 'pings_only'; everyMs?: number }
  | { fault: 'cut'; chunks: number }
  | { fault: 'garbage'; form?: 'html' | 'sse' }
  | { fault: 'slow'; everyMs?: number }
  | { fault: 'mid_error'; chunks?: number }
  | { fault: 'empty' }
  | { fault: 'length' }
  | { fault: 'filtered' }
  | { fault: 'always_tools' }
  | { fault: 'bad_tool_json' }
  | { fault: 'unknown_tool' }
  | { fault: 'latency'; ms: number };

export type FaultRule = Fault & {
  match?: FaultMatch;
  /** How often it strikes; without it, always. */
  times?: number;
};

export interface FaultSubject {
  model: string;
  purpose?: Purpose;
  id?: string;
  size: number;
}
