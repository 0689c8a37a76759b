import { getReport, report as reportShape, type Report } from '@waymark/contracts/publication';
import { BUCKETS } from '@waymark/contracts/streams';
import { ObjectStore, WireError, type Bus } from '@waymark/messaging';
import { askOwner, type AskOptions } from '@waymark/messaging';

export type FetchedReport =
  { readonly ok: true; readonly report: Report } | { readonly ok: false; readonly code: string };

/** Reads reports from publication, whole: a large one comes through the object store. */
export class Reports {
  private store: ObjectStore | undefined;

  constructor(private readonly bus: Bus) {}

  async fetch(run: string, options: AskOptions): Promise<FetchedReport> {
    const asked = await askOwner(this.bus, getReport, { run, format: 'json' }, options);
    if (asked.kind !== 'answered') {
      return { ok: false, code: asked.kind === 'refused' ? asked.error.code : 'publication_unavailable' };
    }
    const { report, object } = asked.value;
    if (report) return { ok: true, report };
    if (!object) return { ok: false, code: 'unknown_run' };
    try {
      this.store ??= await ObjectStore.open(this.bus.nc, BUCKETS.reports);
      const bytes = await this.store.get(object);
      return { ok: true, report: reportShape.parse(JSON.parse(new TextDecoder().decode(bytes))) };
    } catch (error) {
      return { ok: false, code: error instanceof WireError ? error.code : 'report_unreadable' };
    }
  }
}
