import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@waymark/testing';
import { baseEnv } from './read-config.js';

const apps = join(workspaceRoot(), 'apps');
const read = (...path: string[]): string => readFileSync(join(apps, ...path), 'utf8');
const services = readdirSync(apps).filter((name) => /\bbaseEnv,/.test(readConfigOf(name)));

function readConfigOf(name: string): string {
  try {
    return read(name, 'src/config.ts');
  } catch {
    return '';
  }
}

/** Keys that a configuration's schema reads, with the default as its source has it. */
function keysOf(name: string): [key: string, fallback: string | undefined][] {
  const fields = [...readConfigOf(name).matchAll(/^ {2}([A-Z][A-Z_]+): ([^]*?),\n(?= {2}\S|\})/gm)];
  return fields.map(([, key = '', schema = '']) => {
    const plain = /\.default\(([^)]*)\)/.exec(schema)?.[1] ?? /^ms\([^,]+, ([^)]+)\)/.exec(schema)?.[1];
    return [key, plain?.replaceAll('_', '').replaceAll("'", '')];
  });
}

describe('the page of a service', () => {
  it('is there for each of the six', () => {
    expect(services).toEqual(['budget', 'publication', 'reminder', 'reviewer', 'runtime', 'sources']);
  });

  it.each(services)(
    '%s names every key that it reads with its default, how it starts, its health and its users',
    (name) => {
      const page = read(name, 'README.md');
      const running = page.slice(page.indexOf('## Running'));
      const row = (key: string): string | undefined =>
        running.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${key}\``));
      for (const key of Object.keys(baseEnv)) expect([key, row(key)]).toEqual([key, expect.any(String)]);
      expect(row('HEALTH_PORT')).toMatch(/\| 8080\s+\|$/);
      for (const [key, fallback] of keysOf(name)) {
        if (key === 'NODE_ENV') continue;
        expect([key, row(key)]).toEqual([key, expect.any(String)]);
        if (fallback) expect([key, row(key)?.split('|').at(-2)?.replaceAll('`', '').trim()]).toEqual([key, fallback]);
      }
      for (const said of ['main', 'migrate'])
        expect(page).toContain(`node_modules/.bin/node apps/${name}/dist/${said}.js`);
      for (const path of ['live', 'ready', 'startup']) expect(page).toContain(`/health/${path}`);
      expect(page).toMatch(new RegExp(`database is \`${name}\`[^]*NATS user is \`${name}\``));
    },
  );
});
