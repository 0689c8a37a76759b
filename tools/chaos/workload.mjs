/** What callers do meanwhile: start runs, ask twice, stop some, follow some, upload. Each asks until it is answered. */
import { setTimeout as pause } from 'node:timers/promises';
import { WaymarkClient, WaymarkError } from '@waymark/client';
import { generateCorpus } from '@waymark/testing/corpus';
import { hostileDocuments } from './documents.mjs';

/**
 * @typedef {import('@waymark/contracts/wire').WaymarkEvent} WaymarkEvent
 * @typedef {import('./plan.mjs').PlannedRun} PlannedRun
 *
 * @typedef {object} RunStory what callers saw of a run
 * @property {PlannedRun} planned
 * @property {string | null} run null until a start was answered
 * @property {string[]} answers the runs that each start was answered with
 * @property {{ outcome: string, at: number } | null} cancelled `at`: epoch ms of the acknowledgement
 * @property {WaymarkEvent[]} seen by the follower
 * @property {boolean} followedToItsEnd
 * @property {string[]} refusals coded answers that no caller should get
 */

/** Of a run: a limit under a minute is refused, and a run that meets every fault ends by it. */
const LIMITS = { wallMs: 75_000, activeMs: 60_000 };
const DEADLINES = { firstContentMs: 4_000, progressMs: 4_000, totalMs: 15_000, toolMs: 8_000, reviewMs: 15_000 };
const QUICK = { backoffMs: [100, 300], parkMs: [1_000, 2_000] };
/** @type {Readonly<Record<import('./plan.mjs').Shape, object>>} */
const SHAPES = {
  roomy: {},
  short: { exploreRequests: 4 },
  narrow: { hardLimitBytes: 49_152, residencyBytes: 12_288 },
  reviewed: { reviewEveryExploreRequests: 3 },
};
const AGAIN_MS = 300;
const UPLOADS_AT_ONCE = 8;
/** A follower leaves and comes back after so long. */
const STINT_MS = 2_500;
/** What a caller gets while somebody is away; anything else must not happen to these callers. */
const PASSING = new Set(['unavailable', 'timed_out', 'connection_lost', 'internal']);

export class Workload {
  /** @type {RunStory[]} */
  stories = [];
  /** @type {Map<string, string>} name of a document → what was wrong with its answer */
  wrongUploads = new Map();
  /** Names of documents that were taken in. @type {Set<string>} */
  taken = new Set();

  /**
   * @param {WaymarkClient} client straight to NATS
   * @param {WaymarkClient} follower through the link of its own
   * @param {{ question: string, language: 'en' | 'zh' }} asked
   * @param {AbortSignal} signal
   */
  constructor(client, follower, asked, signal) {
    this.client = client;
    this.follower = follower;
    this.asked = asked;
    this.signal = signal;
  }

  /** Uploads both corpora while all is quiet. @param {import('./system.mjs').ChaosSystem} system @param {number} seed @param {AbortSignal} signal */
  static async prepare(system, seed, signal) {
    // As callers outside: without credentials, with the permissions of whoever is not one of us.
    const client = await WaymarkClient.connect({ servers: system.stack.nats.url, name: 'chaos' });
    const servers = `nats://127.0.0.1:${system.callerLink.port}`;
    const follower = await WaymarkClient.connect({ servers, name: 'chaos-follower' });
    const corpus = await generateCorpus(seed, { documents: 8 });
    const workload = new Workload(client, follower, corpus, signal);
    const early = hostileDocuments().filter(({ read }) => read);
    const files = [
      ...corpus.files.map((file) => ({ corpus: 'plain', ...file })),
      ...[...corpus.files, ...early].map((file) => ({ corpus: 'hostile', ...file })),
    ];
    const upload = async () => {
      for (let file = files.pop(); file; file = files.pop()) {
        signal.throwIfAborted();
        await client.uploadDocument(file.corpus, file.name, file.bytes);
      }
    };
    await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, upload));
    return workload;
  }

  async close() {
    await this.client.close();
    await this.follower.close();
  }

  /** A run from its start to the last word that its callers want. @param {PlannedRun} planned */
  async tell(planned) {
    /** @type {RunStory} */
    const story = {
      planned,
      run: null,
      answers: [],
      cancelled: null,
      seen: [],
      followedToItsEnd: false,
      refusals: [],
    };
    this.stories.push(story);
    const asked = planned.twice ? [this.start(story), this.start(story)] : [this.start(story)];
    await Promise.all(asked);
    const { run } = story;
    if (run === null) return;
    if (planned.cancelAfterMs !== null) await this.cancel(story, run, planned.cancelAfterMs);
    if (planned.followed) await this.follow(story, run);
  }

  /** @param {RunStory} story */
  async start(story) {
    const { key, corpus, shape } = story.planned;
    const { question, language } = this.asked;
    const overrides = { ...LIMITS, ...DEADLINES, ...QUICK, ...SHAPES[shape] };
    const request = { key, question, language, corpus, policy: 'teaching', overrides };
    const answer = await this.untilAnswered(story, async () => await this.client.start(request));
    if (!answer) return;
    story.answers.push(answer.run);
    story.run ??= answer.run;
  }

  /** @param {RunStory} story @param {string} run @param {number} afterMs */
  async cancel(story, run, afterMs) {
    await pause(afterMs, undefined, { signal: this.signal }).catch(() => undefined);
    const answer = await this.untilAnswered(story, async () => await this.client.cancel(run, 'enough'));
    if (answer) story.cancelled = { outcome: answer.outcome, at: Date.now() };
  }

  /** In stints, each from where the last one ended, until the run has ended. @param {RunStory} story @param {string} run */
  async follow(story, run) {
    /** @type {import('@waymark/client').Cursors} */
    const cursors = {};
    while (!this.signal.aborted) {
      const stint = AbortSignal.any([AbortSignal.timeout(STINT_MS), this.signal]);
      try {
        for await (const event of this.follower.events(run, { cursors, signal: stint })) {
          story.seen.push(event);
          cursors[/** @type {import('@waymark/client').FeedOwner} */ (event.owner)] = event.seq;
        }
        if (!stint.aborted) {
          story.followedToItsEnd = true;
          return;
        }
      } catch (error) {
        this.refused(story, error);
        await pause(AGAIN_MS);
      }
    }
  }

  /** A document among all that goes on. @param {string} name */
  async upload(name) {
    const document = hostileDocuments().find((one) => one.name === name);
    if (!document) throw new Error(`no such document: ${name}`);
    while (!this.signal.aborted) {
      try {
        await this.client.uploadDocument('late', name, document.bytes, { parseMs: 1_000 });
        this.taken.add(name);
        if (document.refused) this.wrongUploads.set(name, 'it was taken in under a name that is none');
        return;
      } catch (error) {
        if (!(error instanceof WaymarkError)) throw error;
        if (error.field === 'name') {
          if (!document.refused) this.wrongUploads.set(name, `its name was refused: ${error.code}`);
          return;
        }
        if (error.code === 'still_pending') {
          this.taken.add(name);
          return;
        }
        await pause(AGAIN_MS);
      }
    }
  }

  /** @template T @param {RunStory} story @param {() => Promise<T>} ask @returns {Promise<T | null>} null when all is stopped */
  async untilAnswered(story, ask) {
    while (!this.signal.aborted) {
      try {
        return await ask();
      } catch (error) {
        this.refused(story, error);
        await pause(AGAIN_MS);
      }
    }
    return null;
  }

  /** @param {RunStory} story @param {unknown} error */
  refused(story, error) {
    if (!(error instanceof WaymarkError)) throw error;
    if (!PASSING.has(error.code)) story.refusals.push(`${error.code}: ${error.message}`);
  }
}
