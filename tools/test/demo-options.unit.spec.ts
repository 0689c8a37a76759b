import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POLICIES } from '@waymark/contracts/policy';
import { HELP, readOptions } from '../demo/options.mjs';

describe('what the demo may be told', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-options-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('its help names every policy that there is', () => {
    const named = /--policy <name> +(.*)$/m.exec(HELP)?.[1]?.replace(' (default)', '').split(', ');
    expect(named?.toSorted()).toEqual(Object.keys(POLICIES).toSorted());
  });

  it('a folder without a file is refused before anything is done, whatever folders lie in it', () => {
    mkdirSync(join(folder, 'deep/er'), { recursive: true });
    writeFileSync(join(folder, '.hidden'), 'x');
    const asked = ['--docs', folder, '--question', 'x'];
    expect(readOptions(asked, {})).toEqual({ error: expect.stringMatching(/^empty_folder: .*\n {2}name a folder/) });
    writeFileSync(join(folder, 'deep/er/x.txt'), 'x');
    expect(readOptions(asked, {})).toMatchObject({ docs: folder, question: 'x', keep: false });
    expect(readOptions([...asked, '--keep'], {})).toMatchObject({ keep: true });
  });

  it('a model’s API is OpenAI’s unless said, by an option or the environment; another is refused', () => {
    const model = ['--model-url', 'https://host/v1', '--model-name', 'm'];
    expect(readOptions(model, {})).toMatchObject({ model: { api: 'openai', url: 'https://host/v1', name: 'm' } });
    const env = { WAYMARK_MODEL_API: 'anthropic', WAYMARK_MODEL_KEY: 'k' };
    expect(readOptions(model, env)).toMatchObject({ model: { api: 'anthropic', key: 'k' } });
    expect(readOptions([...model, '--model-api', 'openai'], env)).toMatchObject({ model: { api: 'openai' } });
    expect(readOptions([...model, '--model-api', 'other'], {})).toEqual({
      error: expect.stringMatching(/^bad_model_api: .*\n {2}write openai or anthropic/),
    });
    expect(readOptions(['--model-url', 'https://host/v1?key=x', '--model-name', 'm'], {})).toEqual({
      error: expect.stringMatching(/^bad_model_url/),
    });
  });

  it('a key that is empty, or that no header could carry, is refused before the model is asked, and not repeated', () => {
    const file = join(folder, 'key');
    const model = ['--model-url', 'https://host/v1', '--model-name', 'm'];
    const read = (key: string) => {
      writeFileSync(file, key);
      return readOptions([...model, '--model-key-file', file], {});
    };
    expect(read('sk-1\n')).toMatchObject({ model: { key: 'sk-1' } });
    expect(read('\n')).toEqual({ error: expect.stringMatching(/^bad_model_key: .*key, is empty\n {2}write the key/) });
    for (const key of ['two words', 'sk-1\nsk-2', 'sk-é'])
      expect(read(key)).toEqual({ error: expect.stringMatching(/^bad_model_key: (?!.*(words|sk-)).*\n {2}a key is/) });
    expect(readOptions(model, { WAYMARK_MODEL_KEY: 'sk é' })).toEqual({
      error: expect.stringMatching(/^bad_model_key: WAYMARK_MODEL_KEY holds no key/),
    });
  });
});
