/** Decoding that takes one spelling only: Node's own passes over wrong characters, and one flipped byte must be found. */
import { Buffer } from 'node:buffer';

export const strictBase64 = (text: unknown): Uint8Array => decoded(text, 'base64', 'its base64 is damaged');
export const strictHex = (text: unknown): Uint8Array => decoded(text, 'hex', 'its hex digits are damaged');

function decoded(text: unknown, encoding: 'base64' | 'hex', otherwise: string): Uint8Array {
  const bytes = Buffer.from(typeof text === 'string' ? text : '', encoding);
  if (bytes.toString(encoding) !== text) throw new Error(otherwise);
  return bytes;
}
