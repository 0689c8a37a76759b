import type { Buffer } from 'node:buffer';
import type { RawBody } from '../../core/protocol/raw-body.js';

/** Only what is sliced becomes a string: a bench body of 200 KB is searched, not copied. */
export class BodyText implements RawBody {
  constructor(private readonly bytes: Buffer) {}

  get length(): number {
    return this.bytes.length;
  }

  indexOf(text: string, from = 0): number {
    return this.bytes.indexOf(text, from, 'latin1');
  }

  lastIndexOf(text: string, from = this.bytes.length): number {
    return this.bytes.lastIndexOf(text, from, 'latin1');
  }

  slice(from = 0, to = this.bytes.length): string {
    return this.bytes.subarray(from, to).toString('latin1');
  }
}
