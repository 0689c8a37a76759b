/** A tool's help is the comment at its head: written once, true for both readers. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** @param {string} url `import.meta.url` of the tool @returns {string} its head comment without the comment's marks */
export function headComment(url) {
  const [, text = ''] = /\/\*\*([\s\S]*?)\*\//.exec(readFileSync(fileURLToPath(url), 'utf8')) ?? [];
  return text
    .replace(/^ ?\* ?/gm, '')
    .replace(/^ /, '')
    .trim();
}
