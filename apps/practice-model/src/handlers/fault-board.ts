import { Inject, Injectable } from '@nestjs/common';
import { PRACTICE_CONFIG } from '../tokens.js';
import type { PracticeConfig } from '../config.js';
import { planOf, strike, type FaultPlan } from '../core/faults/fault-plan.js';
import type { FaultRule, FaultSubject } from '../core/faults/fault-rule.js';

/** The fault plan and latency in force. Replacing the plan starts its counters anew. */
@Injectable()
export class FaultBoard {
  private plan: FaultPlan;
  latencyMs: number;

  constructor(@Inject(PRACTICE_CONFIG) config: PracticeConfig) {
    this.plan = planOf(config.faults);
    this.latencyMs = config.latencyMs;
  }

  replace(rules: FaultRule[]): FaultPlan {
    this.plan = planOf(rules);
    return this.plan;
  }

  current(): FaultPlan {
    return this.plan;
  }

  strike(subject: FaultSubject): FaultRule | undefined {
    const { plan, rule } = strike(this.plan, subject);
    this.plan = plan;
    return rule;
  }
}
