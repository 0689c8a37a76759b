import type { HeldTables } from '@waymark/persistence/holder';

export const RUN_TABLES: HeldTables = {
  owned: 'run',
  record: 'execution_record',
  body: 'result_body',
  snapshot: 'run_snapshot',
  inbox: 'inbox',
  owner: 'runtime',
};
