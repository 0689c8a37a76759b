import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { appNames, configKeys, workspaceRoot } from '@waymark/testing';
import { baseEnv } from './read-config.js';

const apps = join(workspaceRoot(), 'apps');
const read = (...path: string[]): string => readFileSync(join(apps, ...path), 'utf8');
const services = appNames().filter((name) => configKeys(name).some(({ key }) => key === 'DATABASE_URL'));

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
      const keys = configKeys(name);
      expect(keys.map(({ key }) => key)).toEqual(expect.arrayContaining(Object.keys(baseEnv)));
      expect(row('HEALTH_PORT')).toMatch(/\| 8080\s+\|$/);
      for (const { key, required, fallback } of keys) {
        expect([key, row(key)]).toEqual([key, expect.any(String)]);
        if (required) expect([key, row(key)]).toEqual([key, expect.stringMatching(/\| required\s+\|$/)]);
        if (fallback) expect([key, row(key)?.split('|').at(-2)?.replaceAll('`', '').trim()]).toEqual([key, fallback]);
      }
      for (const said of ['main', 'migrate'])
        expect(page).toContain(`node_modules/.bin/node apps/${name}/dist/${said}.js`);
      for (const path of ['live', 'ready', 'startup']) expect(page).toContain(`/health/${path}`);
      expect(page).toMatch(new RegExp(`database is \`${name}\`[^]*NATS user is \`${name}\``));
    },
  );
});

describe('the page of an application', () => {
  it.each(appNames())('%s names every key of its config.ts', (name) => {
    const page = read(name, 'README.md');
    expect(configKeys(name).filter(({ key }) => !page.includes(`\`${key}\``))).toEqual([]);
    expect(configKeys(name).length).toBeGreaterThan(3);
  });
});
