/** Events of a run in lines for people. It remembers only what it needs to say a thing once and in its place. */
import type { WaymarkEvent } from '@waymark/contracts/wire';
import { PART_KINDS, type NoticeLine, type RecordFact, type RequestIntended } from '@waymark/record';
import { nameOf } from './progress.js';
import { bytesText, durationText, many, oneLine } from './words.js';

export class EventTeller {
  private open: RequestIntended | null = null;
  private readonly told = new Set<string>();

  /** No line for what is only bookkeeping. An event of a later release is named, never a failure. */
  tell(event: WaymarkEvent): string[] {
    try {
      if (event.owner === 'runtime') return this.runtime(event.data as unknown as RecordFact);
      if (event.owner === 'publication') return publication(nameOf(event), event.data);
      if (event.owner === 'reviewer') return reviewer(nameOf(event), event.data);
      if (event.owner === 'budget') return budget(nameOf(event), event.data);
    } catch {
      // fields that this release does not know
    }
    return [`${event.owner}: ${oneLine(nameOf(event))}`];
  }

  private runtime(fact: RecordFact): string[] {
    switch (fact.type) {
      case 'RunAdmitted':
        return [`admitted: policy ${fact.policy.name}, model ${oneLine(fact.model.name, 80)}, corpus ${fact.corpus}`];
      case 'RequestIntended':
        return this.intended(fact);
      case 'RequestSettled':
        return this.settled(fact);
      case 'ActionSettled':
        return fact.outcome === 'ok'
          ? []
          : [`action ${fact.outcome}: ${oneLine(fact.title, 80)} (${fact.code ?? 'no code'})`];
      case 'ResultsRetired':
        return [`retired ${many(fact.items.length, 'result')} from the request (${fact.reason}); stubs stand for them`];
      case 'ResultPaged':
        return [`a result too large for the request: its first ${bytesText(fact.headBytes)} stand in it`];
      case 'SummaryAdopted':
        return [
          `summary ${fact.summary} of turns ${fact.from}–${fact.to} adopted: ${bytesText(fact.bytesBefore)} → ${bytesText(fact.bytesAfter)}`,
        ];
      case 'SummaryAbandoned':
        return [`summary of turns ${fact.from}–${fact.to} not adopted (${fact.code})`];
      case 'FloorBuilt':
        return ['the request is now the question and the map of the report: nothing larger fits'];
      case 'HardLimitLowered':
        return [`the provider found it too long: hard limit ${bytesText(fact.from)} → ${bytesText(fact.to)}`];
      case 'PhaseChanged':
        return [`phase: finishing (${fact.code}): ${oneLine(fact.reason)}`];
      case 'LimitHeard':
        return [`limit ${fact.stage}: ${fact.limit}`];
      case 'ReviewDispatched':
        return [`review ${shortReview(fact.review)} dispatched`];
      case 'ReviewDeclined':
        return [`review declined (${fact.code})`];
      case 'ReviewOverdue':
        return [`review ${shortReview(fact.review)} overdue: the run goes on without it`];
      case 'VerdictHeard':
        return [
          `verdict of review ${shortReview(fact.review)} taken in: ${fact.outcome}${fact.advice ? `, ${bytesText(fact.advice.bytes)} of advice` : ''}`,
        ];
      case 'RunParked':
        return [`parked for ${durationText(fact.forMs)} (${fact.code})`];
      case 'RunWoken':
        return ['woken'];
      case 'WriteConfirmed':
        return [`a write that was not confirmed is: ${fact.outcome}`];
      case 'RunEnding':
        return [`ending: ${fact.outcome} (${fact.code}): ${oneLine(fact.reason)}`];
      case 'RunEnded':
        return [`ended: ${fact.outcome} (${fact.code})`];
      case 'ReviewRaised':
      case 'EndingStepDone':
        return [];
      default:
        fact satisfies never;
        return [`runtime: ${oneLine(String((fact as { type: unknown }).type))}`];
    }
  }

  private intended(fact: RequestIntended): string[] {
    this.open = fact;
    const lines: string[] = [];
    if (fact.purpose === 'summarize')
      lines.push(`summarizing turns ${fact.interval?.from ?? '?'}–${fact.interval?.to ?? '?'}`);
    else if (fact.attempt > 1) lines.push(`turn ${fact.turn}: attempt ${fact.attempt}`);
    const texts = fact.notices.text?.split('\n') ?? [];
    for (const [i, notice] of fact.notices.included.entries()) {
      if (this.isNew(notice)) lines.push(`told (${notice.kind}): ${oneLine(texts[i] ?? notice.type, 300)}`);
    }
    return lines;
  }

  /** A state line stands in every request; a follower hears of each stage once. */
  private isNew({ type, subject, stage, policyVersion }: NoticeLine): boolean {
    const key = JSON.stringify([type, subject, stage, policyVersion]);
    if (this.told.has(key)) return false;
    this.told.add(key);
    return true;
  }

  private settled(fact: Extract<RecordFact, { type: 'RequestSettled' }>): string[] {
    const { open } = this;
    this.open = null;
    const what = open?.purpose === 'summarize' ? 'summary' : `turn ${open?.turn ?? '?'}`;
    if (fact.outcome !== 'completed')
      return [`${what}: request ${fact.request} ${fact.outcome} (${fact.code ?? 'no code'})`];
    if (open?.purpose === 'summarize') return [];
    const tools = new Map<string, number>();
    for (const { tool } of fact.actions) tools.set(tool, (tools.get(tool) ?? 0) + 1);
    const asked = [...tools].map(([tool, n]) => `${oneLine(tool, 40)}${n > 1 ? ` ×${n}` : ''}`).join(', ');
    const stubs = open?.parts[PART_KINDS.indexOf('stubs')] ?? 0;
    const size = open ? `${bytesText(open.bytes)}${stubs > 0 ? `, ${bytesText(stubs)} of it stubs` : ''}` : '';
    return [`${what} (${open?.purpose ?? '?'}, ${size}): ${asked || (fact.empty ? 'nothing' : 'closing text')}`];
  }
}

function publication(name: string, data: Readonly<Record<string, unknown>>): string[] {
  const title = oneLine(String(data['title']), 120);
  const size = `${bytesText(Number(data['bytes']))}, ${many(Number(data['citations']), 'citation')}${Number(data['failedCitations']) > 0 ? `, ${Number(data['failedCitations'])} of them failed` : ''}`;
  switch (name) {
    case 'BlockPublished':
      return [`block published: ${title} (${size})`];
    case 'BlockCorrected':
      return [
        `block corrected: ${title}, version ${String(data['version'])} (${size})${typeof data['reason'] === 'string' ? `: ${oneLine(data['reason'])}` : ''}`,
      ];
    case 'ProgressNoted':
      return [`note: ${oneLine(String(data['text']))}`];
    case 'ReportClosed':
      return [`report closed: ${String(data['outcome'])}, ${many(Number(data['gaps']), 'open gap')}`];
    default:
      return [];
  }
}

function reviewer(name: string, data: Readonly<Record<string, unknown>>): string[] {
  const review = shortReview(String(data['review']));
  switch (name) {
    case 'ReviewStarted':
      return [`review ${review} started`];
    case 'VerdictGiven': {
      const { outcome, points } = data['verdict'] as { outcome: string; points: readonly unknown[] };
      return [`review ${review}: ${outcome}, ${many(points.length, 'point')}`];
    }
    default:
      return [];
  }
}

function budget(name: string, data: Readonly<Record<string, unknown>>): string[] {
  if (name === 'LimitNeared') return [`budget: ${String(data['limit'])} time is down to the output time`];
  if (name === 'LimitReached') return [`budget: ${String(data['limit'])} limit reached`];
  return [];
}

/** The count within the run; the whole id stands in JSON. */
const shortReview = (review: string): string => oneLine(review.slice(review.lastIndexOf('.') + 1), 20);
