import { FEED_OWNERS, type Cursors } from '@waymark/client';
import type { Command } from 'commander';
import { goOnFrom, type Progress } from '../core/progress.js';
import { followRun } from '../terminal/follow-run.js';
import { WrongUse } from '../wrong-use.js';
import { collect, parseRun } from './arguments.js';
import { EXIT, type Session } from './session.js';

interface Options {
  readonly from: readonly string[];
  readonly json?: boolean;
}

export function addFollow(program: Command, session: Session): void {
  program
    .command('follow')
    .argument('<run>', 'its id', parseRun)
    .description('what a run did and does, to its end; leaving (Ctrl-C) changes nothing for the run')
    .option('--from <owner=seq>', `go on after a sequence seen, again for more: ${FEED_OWNERS.join(', ')}`, collect, [])
    .option('--json', 'the events as JSON lines')
    .action(async (run: string, { from, json = false }: Options) => {
      const cursors = parseCursors(from);
      await session.withClient(async (client) => {
        const { signal, screen } = session;
        endOfFollowing(session, run, await followRun(client, run, screen, { cursors, signal, json }), !json);
      });
    });
}

/** A follower who leaves is told where to go on if `hint` says so (not where all is stopped next); a run that ended badly shows in the exit code. */
export function endOfFollowing(session: Session, run: string, progress: Progress, hint: boolean): void {
  if (session.signal.aborted) {
    const from = Object.entries(goOnFrom(progress)).map(([owner, seq]) => ` --from ${owner}=${seq}`);
    if (hint) session.print(`left; the run does not notice. Go on with: waymark follow ${run}${from.join('')}`);
    session.exit(EXIT.interrupted);
  } else if (progress.outcome === 'failed' || progress.outcome === 'cancelled') session.exit(EXIT.runNotGood);
}

export function parseCursors(given: readonly string[]): Cursors {
  const cursors: Record<string, number> = {};
  for (const one of given) {
    const [, owner = '', seq = ''] = /^([a-z]+)=(\d{1,15})$/.exec(one) ?? [];
    if (!FEED_OWNERS.some((known) => known === owner)) {
      throw new WrongUse({
        code: 'invalid_cursor',
        message: `"${one}" is no place in a feed`,
        remedy: `write owner=sequence with one of: ${FEED_OWNERS.join(', ')}`,
        field: 'from',
      });
    }
    cursors[owner] = Number(seq);
  }
  return cursors;
}
