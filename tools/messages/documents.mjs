/** Both documents as they stand in the repository. */
import { asyncApi } from './asyncapi.mjs';
import { messagesPage } from './messages-page.mjs';

/**
 * @param {import('./play-examples.mjs').Examples} examples
 * @returns {Record<string, string>} text by path from the repository's root
 */
export const documents = (examples) => ({
  'docs/messages.md': messagesPage(examples),
  'docs/asyncapi.json': `${JSON.stringify(asyncApi(examples), null, 1)}\n`,
});
