/** Epochs belong to holders: the run's owner, or one review (B15). */
import { record, type Draft } from './draft.js';
import type { Ledger } from './ledger.js';

/** Whether an older owner of the holder speaks. */
export function isFenced(ledger: Ledger, holder: string, epoch: number): boolean {
  return epoch < (ledger.holders[holder] ?? 0);
}

/** A higher epoch fences lower ones from now on, also without a take-over (L2). */
export function withHolder(draft: Draft, holder: string, epoch: number): Draft {
  if (epoch <= (draft.ledger.holders[holder] ?? 0)) return draft;
  return record(draft, { type: 'HolderTakenOver', holder, epoch });
}

/** `<holder>/<epoch>/` starts every key (B2). */
export function keyPrefix(holder: string, epoch: number): string {
  return `${holder}/${epoch}/`;
}

/** Who a key belongs to. */
export function holderOf(key: string): string {
  return key.slice(0, key.indexOf('/'));
}
