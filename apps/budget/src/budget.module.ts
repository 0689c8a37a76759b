import { Module, type DynamicModule } from '@nestjs/common';
import { LedgerStore } from './adapters/postgres/ledger-store.js';
import type { BudgetConfig } from './config.js';
import { CloseBudget } from './handlers/close-budget.js';
import { Commands } from './handlers/commands.js';
import { ListEvents } from './handlers/list-events.js';
import { OpenBudget } from './handlers/open-budget.js';
import { ReadSnapshot } from './handlers/read-snapshot.js';
import { Reserve } from './handlers/reserve.js';
import { Settle } from './handlers/settle.js';
import { Sweep } from './handlers/sweep.js';
import { TakeOver } from './handlers/take-over.js';
import { TIMING } from './handlers/timing.js';

@Module({})
export class BudgetModule {
  static of({ sweepMs, leaseMs }: Pick<BudgetConfig, 'sweepMs' | 'leaseMs'>): DynamicModule {
    return {
      module: BudgetModule,
      controllers: [OpenBudget, TakeOver, Reserve, Settle, ReadSnapshot, CloseBudget, ListEvents],
      providers: [{ provide: TIMING, useValue: { sweepMs, leaseMs } }, LedgerStore, Commands, Sweep],
    };
  }
}
