import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Corpus } from './generate-corpus.js';
import { teachingCorpus } from './teaching-corpus.js';

/**
 * Wrote the documents that `npm run demo` brings along: `node dist/corpus/write-demo-corpus.js <folder> <answers.json>`.
 * They are fixed now; running it again must change no byte (a test holds it to that).
 */
export const DEMO_SEED = 2169;

export async function demoCorpus(): Promise<Corpus> {
  return await teachingCorpus(DEMO_SEED, { language: 'en' });
}

if (process.argv[1]?.endsWith('write-demo-corpus.js')) {
  const [folder, answersFile] = process.argv.slice(2);
  if (!folder || !answersFile) throw new Error('say the folder of the documents and the file of the answers');
  const { files, question, answers } = await demoCorpus();
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(folder)) rmSync(join(folder, old));
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, 'question.txt'), `${question}\n`);
  mkdirSync(dirname(answersFile), { recursive: true });
  writeFileSync(answersFile, `${JSON.stringify(answers, null, 2)}\n`);
}
