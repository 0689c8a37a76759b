import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { demoCorpus } from './write-demo-corpus.js';

const CLI = join(import.meta.dirname, '../../../../apps/cli');

describe('the bundled documents', () => {
  it('are those that the generator writes, byte for byte', async () => {
    const { files, question, answers } = await demoCorpus();
    const names = [...files.map((f) => f.name), 'question.txt'].sort();
    expect(readdirSync(join(CLI, 'demo-corpus')).sort()).toEqual(names);
    for (const { name, bytes } of files) {
      expect([name, readFileSync(join(CLI, 'demo-corpus', name)).equals(Buffer.from(bytes))]).toEqual([name, true]);
    }
    expect(readFileSync(join(CLI, 'demo-corpus/question.txt'), 'utf8')).toBe(`${question}\n`);
    expect(JSON.parse(readFileSync(join(CLI, 'test/demo-answers.json'), 'utf8'))).toEqual(answers);
  });

  it('say that they are invented', async () => {
    for (const { name, text } of (await demoCorpus()).files) {
      if (text !== null) expect([name, /invented|虚构/.test(text)]).toEqual([name, true]);
    }
  });
});
