/** What docs/messages.md shows is what a running system answers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { workspaceRoot } from '@waymark/testing';
import { startStack, type Stack } from '@waymark/testing/stack';
import { blurred, playExamples, type Examples } from '../messages/play-examples.mjs';

const documented = JSON.parse(readFileSync(join(workspaceRoot(), 'tools/messages/examples.json'), 'utf8')) as Examples;

describe('the examples of docs/messages.md, sent by the bare NATS client', () => {
  let stack: Stack;
  let played: Examples;

  beforeAll(async () => {
    stack = await startStack({ fast: true });
    const nc = await connect({ ...stack.nats.access('cli'), inboxPrefix: '_INBOX_cli' });
    try {
      played = await playExamples(nc, stack.practiceUrl ?? '');
    } finally {
      await nc.close();
    }
  }, 300_000);
  afterAll(async () => await stack?.stop(), 30_000);

  it('L14: every request is answered as the page says', () => {
    expect(played.answers.map((one) => blurred(one))).toEqual(documented.answers.map((one) => blurred(one)));
  });

  it('every error is provoked, with the same code, words, remedy and field', () => {
    expect(played.errors.map((one) => blurred(one))).toEqual(documented.errors.map((one) => blurred(one)));
  });
});
