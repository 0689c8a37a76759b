/** Events of a run in lines for people. It remembers only what it needs to say a thing once and in its place. */
import type { Verdict } from '@waymark/contracts/reviewer';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import { PART_KINDS, type NoticeLine, type RecordFact, type RequestIntended } from '@waymark/record';
import { nameOf } from './progress.js';
import { because } from './reason-words.js';
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
          : [`action ${fact.outcome}: ${oneLine(fact.title, 80)}: ${oneLine(because(fact.code))}`];
      case 'ResultsRetired':
        return [
          `set aside ${many(fact.items.length, 'result')} that the model has had, ${RETIRED[fact.reason]}; it can read them again`,
        ];
      case 'ResultPaged':
        return [`a result too large for the request: its first ${bytesText(fact.headBytes)} stand in it`];
      case 'SummaryAdopted':
        return [
          `summary ${fact.summary} of turns ${fact.from}–${fact.to} adopted: ${bytesText(fact.bytesBefore)} → ${bytesText(fact.bytesAfter)}`,
        ];
      case 'SummaryAbandoned':
        return [`summary of turns ${fact.from}–${fact.to} not used: ${oneLine(because(fact.code))}`];
      case 'FloorBuilt':
        return ['the request is now the question and the map of the report: nothing larger fits'];
      case 'HardLimitLowered':
        return [`the provider found it too long: hard limit ${bytesText(fact.from)} → ${bytesText(fact.to)}`];
      case 'PhaseChanged':
        return [`exploring is over, the report is finished now: ${oneLine(fact.reason)} [${fact.code}]`];
      case 'LimitHeard':
        return [`the run has heard: ${limitName(fact.limit)} is ${fact.stage === 'neared' ? 'nearly ' : ''}used up`];
      case 'ReviewDispatched':
        return [`review ${shortReview(fact.review)} asked for`];
      case 'ReviewDeclined':
        return [
          `${fact.candidate === null ? 'the model asked for a review and gets none now' : 'a review was due and is left out'}: ${oneLine(because(fact.code))}`,
        ];
      case 'ReviewOverdue':
        return [`review ${shortReview(fact.review)} takes too long: the run goes on without it`];
      case 'VerdictHeard':
        return [
          `the run has heard review ${shortReview(fact.review)}${fact.advice ? `: ${bytesText(fact.advice.bytes)} of advice for the next request` : ', which gives no advice'}`,
        ];
      case 'RunParked':
        return [`waits ${durationText(fact.forMs)} and goes on by itself: ${oneLine(because(fact.code))}`];
      case 'RunWoken':
        return ['goes on'];
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
      if (this.isNew(notice)) lines.push(`told the model (${notice.kind}): ${oneLine(texts[i] ?? notice.type, 300)}`);
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
    // A follower that goes on between a request and its answer does not know the turn.
    const turn = open ? `turn ${open.turn}` : `request ${fact.request}`;
    const what = open?.purpose === 'summarize' ? 'summary' : turn;
    if (fact.outcome !== 'completed')
      return [`${what}: request ${fact.request} ${OUTCOMES[fact.outcome]}: ${oneLine(because(fact.code))}`];
    if (open?.purpose === 'summarize') return [];
    const tools = new Map<string, number>();
    for (const { tool } of fact.actions) tools.set(tool, (tools.get(tool) ?? 0) + 1);
    const asked = [...tools].map(([tool, n]) => `${oneLine(tool, 40)}${n > 1 ? ` ×${n}` : ''}`).join(', ');
    const stubs = open?.parts[PART_KINDS.indexOf('stubs')] ?? 0;
    const aside = stubs > 0 ? `, ${bytesText(stubs)} of it for results set aside` : '';
    const request = open ? ` (${open.purpose}, ${bytesText(open.bytes)}${aside})` : '';
    return [`${what}${request}: ${asked || (fact.empty ? 'nothing' : 'closing text')}`];
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
      return [`report closed: ${String(data['outcome'])}, ${many(Number(data['gaps']), 'point')} left open`];
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
      const { outcome, points, code } = data['verdict'] as Pick<Verdict, 'outcome' | 'points' | 'code'>;
      if (outcome === 'failed') return [`review ${review}: it failed, and stops nothing: ${oneLine(because(code))}`];
      if (outcome === 'ok') return [`review ${review}: nothing to change`];
      return [`review ${review}: asks for changes, ${many(points.length, 'point')}`];
    }
    default:
      return [];
  }
}

function budget(name: string, data: Readonly<Record<string, unknown>>): string[] {
  const limit = limitName(String(data['limit']));
  if (name === 'LimitNeared') return [`budget: of ${limit} only what is kept for the ending is left`];
  if (name === 'LimitReached') return [`budget: ${limit} is used up`];
  return [];
}

const RETIRED = { residency: 'to keep requests small', fit: 'or the next request would be too large' } as const;
const OUTCOMES = { failed: 'failed', unknown: 'has no known end', not_sent: 'was not sent' } as const;
const LIMIT_NAMES: Readonly<Record<string, string>> = {
  active: 'the active time',
  wall: 'the wall clock',
  user: 'your deadline',
};
const limitName = (limit: string): string => LIMIT_NAMES[limit] ?? oneLine(limit, 40);

/** The count within the run; the whole id stands in JSON. */
const shortReview = (review: string): string => oneLine(review.slice(review.lastIndexOf('.') + 1), 20);
