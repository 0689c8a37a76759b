import { readSourcesConfig } from './config.js';

const ENV = { NATS_URL: 'nats://h:4222', DATABASE_URL: 'postgres://u:hidden@h/d' };

test('limits have defaults and are given in bytes and milliseconds', () => {
  const { maxDocumentBytes, parse } = readSourcesConfig(ENV);
  expect(maxDocumentBytes).toBe(25 * 1024 * 1024);
  expect(parse).toMatchObject({ lanes: 1, cpuMs: 30_000, memoryBytes: 768 * 1024 * 1024 });
});

test('a bad value is named with its remedy and never shown', () => {
  const bad = { ...ENV, PARSE_LANES: 'many-hidden', DATABASE_URL: '' };
  expect(() => readSourcesConfig(bad)).toThrow(/PARSE_LANES[^]*DATABASE_URL|DATABASE_URL[^]*PARSE_LANES/);
  expect(() => readSourcesConfig(bad)).not.toThrow(/hidden/);
});
