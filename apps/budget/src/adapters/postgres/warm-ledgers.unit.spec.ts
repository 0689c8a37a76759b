import { unopened } from '../../core/ledger.js';
import { WarmLedgers } from './warm-ledgers.js';

const RUN = '01890000-0000-7000-8000-000000000001';
const at = (version: number) => ({ ...unopened(RUN), version });

describe('ledgers that a process remembers', () => {
  it('serve only after commits in a row with nobody between, and T3: with the clock that the database told', () => {
    let clock = 1_000;
    const warm = new WarmLedgers(() => clock);
    warm.around(RUN, 0)(at(1), 50_000);
    expect(warm.find(RUN, [])).toBeNull();
    warm.around(RUN, 1)(at(4), 50_010);
    expect(warm.find(RUN, [])).toBeNull();
    warm.around(RUN, 4)(at(7), 50_020);
    clock += 3.7;
    expect(warm.find(RUN, [])).toEqual({ ledger: at(7), now: 50_023 });
    warm.around(RUN, 9)(at(10), 50_030); // another replica wrote versions 8 and 9
    expect(warm.find(RUN, [])).toBeNull();
  });

  it('are forgotten while a commit is under way, after one that nobody knows the end of, and after half a minute', () => {
    let clock = 0;
    const warm = new WarmLedgers(() => clock);
    for (const version of [0, 1, 2]) warm.around(RUN, version)(at(version + 1), 0);
    expect(warm.find(RUN, [])).not.toBeNull();
    clock = 30_001;
    expect(warm.find(RUN, [])).toBeNull();
    for (const version of [0, 1, 2]) warm.around(RUN, version)(at(version + 1), 0);
    warm.around(RUN, 3);
    expect(warm.find(RUN, [])).toBeNull();
  });

  it('B3: do not serve a command that names a reservation which is not open', () => {
    const warm = new WarmLedgers(() => 0);
    for (const version of [0, 1, 2]) warm.around(RUN, version)(at(version + 1), 0);
    expect(warm.find(RUN, ['r9'])).toBeNull();
  });

  it('are bounded in number', () => {
    const warm = new WarmLedgers(() => 0);
    for (let n = 0; n < 2_100; n += 1)
      for (const version of [0, 1, 2]) warm.around(`run-${n}`, version)({ ...at(version + 1), run: `run-${n}` }, 0);
    expect(warm.find('run-0', [])).toBeNull();
    expect(warm.find('run-2099', [])).not.toBeNull();
  });
});
