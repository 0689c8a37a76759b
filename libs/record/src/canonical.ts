/** The record's bytes: RFC 8785 canonical JSON, UTF-8. They cannot be mended after release (docs/decisions). */
import canonicalize from 'canonicalize';
import type { AnyFact } from './facts.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Canonical bytes of a fact. Strings must be well-formed Unicode; anything else is a defect and throws. */
export function encodeFact(fact: AnyFact): Uint8Array {
  const text = canonicalize(fact);
  if (text === undefined) throw new Error('a fact must be a JSON object');
  return encoder.encode(text);
}

/** The fact in stored bytes; throws when they are not UTF-8 JSON with a type. */
export function decodeFact<F extends AnyFact = AnyFact>(body: Uint8Array): F {
  const value: unknown = JSON.parse(decoder.decode(body));
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') {
    throw new Error('a record body must be a JSON object with a type');
  }
  return value as F;
}

/**
 * Text as stored (F-R7): UTF-8 as it is, NUL included; a text with a lone surrogate is kept as a JSON string literal,
 * which `escaped` says.
 */
export function encodeText(text: string): { readonly bytes: Uint8Array; readonly escaped: boolean } {
  return text.isWellFormed()
    ? { bytes: encoder.encode(text), escaped: false }
    : { bytes: encoder.encode(JSON.stringify(text)), escaped: true };
}

export function decodeText(bytes: Uint8Array, escaped: boolean): string {
  const text = decoder.decode(bytes);
  return escaped ? (JSON.parse(text) as string) : text;
}
