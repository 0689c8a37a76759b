import { WaymarkError } from '@waymark/client';
import type { ErrorBody } from '@waymark/contracts/wire';

/** What was typed cannot be right, whatever any service would say: exit code 2, and nobody was asked. */
export class WrongUse extends WaymarkError {
  constructor(body: ErrorBody) {
    super(body);
    this.name = 'WrongUse';
  }
}
