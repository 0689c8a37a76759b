import type { ErrorBody } from '@waymark/contracts/wire';

const MAX_NAME_BYTES = 255;

/**
 * Whether a document may bear this name. A name is a label, but people and programs also write files by it: a relative
 * path with `/`, no empty, `.` or `..` part, no control character, at most 255 bytes.
 * @returns the refusal `bad_name`, or nothing.
 */
export function refuseName(name: string): ErrorBody | undefined {
  const fault = faultOf(name);
  if (fault === undefined) return undefined;
  return {
    code: 'bad_name',
    message: `The document's name ${fault}.`,
    remedy: `Send a relative path such as "reports/2024.pdf", at most ${MAX_NAME_BYTES} bytes, without "..".`,
    field: 'name',
  };
}

function faultOf(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (new TextEncoder().encode(name).length > MAX_NAME_BYTES) return `is longer than ${MAX_NAME_BYTES} bytes`;
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)) return 'holds a control character or half a character';
  if (name.startsWith('/')) return 'begins with "/"';
  const parts = name.split('/');
  if (parts.includes('..')) return 'leaves its folder by ".."';
  if (parts.includes('.') || parts.includes('')) return 'has an empty part or "."';
  return undefined;
}
