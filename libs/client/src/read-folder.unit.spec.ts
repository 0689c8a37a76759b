import { Buffer } from 'node:buffer';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFolder } from './read-folder.js';

describe('a folder as it is offered', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-folder-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('names files with their folders, and leaves out by name and reason what cannot be a document', async () => {
    mkdirSync(join(folder, 'deep/er'), { recursive: true });
    mkdirSync(join(folder, '.git'));
    writeFileSync(join(folder, 'deep/er/一 b.md'), 'text');
    writeFileSync(join(folder, 'a\nb.txt'), '');
    writeFileSync(join(folder, '.DS_Store'), 'x');
    writeFileSync(Buffer.concat([Buffer.from(join(folder, 'bad-')), Buffer.from([0xff]), Buffer.from('.txt')]), 'x');
    symlinkSync('/etc/passwd', join(folder, 'link.txt'));
    const { files, leftOut } = await readFolder(folder);
    expect(files.map(({ name, bytes }) => [name, bytes])).toEqual([
      ['a\nb.txt', 0],
      ['deep/er/一 b.md', 4],
    ]);
    expect(leftOut.map(({ name, code }) => [name, code])).toEqual([
      ['.DS_Store', 'hidden'],
      ['.git', 'hidden'],
      ['bad-\ufffd.txt', 'bad_name'],
      ['link.txt', 'not_a_file'],
    ]);
  });

  it('an empty folder, no folder and a file are refused, each by a code of its own with a remedy', async () => {
    const refusal = async (path: string) => await readFolder(path).catch((error: unknown) => error);
    expect(await refusal(folder)).toMatchObject({ code: 'empty_folder', remedy: expect.stringContaining('PDF') });
    expect(await refusal(join(folder, '../x-not-there'))).toMatchObject({ code: 'no_such_folder' });
    writeFileSync(join(folder, 'file'), 'x');
    expect(await refusal(join(folder, 'file'))).toMatchObject({ code: 'not_a_folder' });
    expect(await refusal('')).toMatchObject({ code: 'no_such_folder' });
    expect(await refusal('a\0b')).toMatchObject({ code: 'no_such_folder' });
  });
});
