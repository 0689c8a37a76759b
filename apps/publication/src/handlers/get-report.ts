import { Controller } from '@nestjs/common';
import { getReport, type Report } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { Db } from '@waymark/persistence';
import { htmlPage } from '../adapters/html/html-page.js';
import { Renderings } from '../adapters/nats/renderings.js';
import { wasShown } from '../adapters/postgres/find-seen.js';
import { readReport } from '../adapters/postgres/read-report.js';
import { decideShown } from '../core/decide-shown.js';
import { fitReport, jsonBytes } from '../core/fit-report.js';
import { renderMarkdown } from '../core/render/render-markdown.js';
import { Commands } from './commands.js';
import { known } from './unknown-run.js';

type Format = ParsedRequestOf<typeof getReport>['format'];

const RENDER: Readonly<Record<Format, (report: Report) => Promise<string> | string | null>> = {
  json: () => null,
  markdown: renderMarkdown,
  html: htmlPage,
};

@Controller()
export class GetReport {
  constructor(
    private readonly db: Db,
    private readonly commands: Commands,
    private readonly renderings: Renderings,
  ) {}

  @Handle(getReport)
  async handle(request: ParsedRequestOf<typeof getReport>): Promise<ReplyOf<typeof getReport>> {
    const { run, format, viewer } = request;
    const report = known(await readReport(this.db, run), run);
    const rendered = await RENDER[format](report);
    const reply = await this.fitted(report, format, rendered);
    if (viewer !== undefined) await this.recordShown(run, { viewer, version: report.version });
    return reply;
  }

  private async fitted(report: Report, format: Format, rendered: string | null): Promise<ReplyOf<typeof getReport>> {
    const fit = fitReport(jsonBytes(report), rendered === null ? null : jsonBytes(rendered));
    const stored = fit.rendered === 'stored' ? rendered : fit.report === 'stored' ? JSON.stringify(report) : null;
    return {
      report: fit.report === 'inline' ? report : null,
      rendered: fit.rendered === 'inline' ? rendered : null,
      object: stored === null ? null : await this.renderings.store(report, format, stored),
    };
  }

  private async recordShown(run: string, shown: { viewer: string; version: number }): Promise<void> {
    await this.commands.carryOut(
      run,
      (tx) => wasShown(tx, run, shown.viewer, shown.version),
      (state, already) => decideShown(state, shown, already),
    );
  }
}
