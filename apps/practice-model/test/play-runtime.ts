import type { CorpusFile } from '@waymark/testing/corpus';
import type OpenAI from 'openai';

/** Plays the runtime's part for one run: sends requests, carries out tools, retires results, has turns summarised. */
export interface PlayOptions {
  /** Explore requests at most; then one or two finishing requests. */
  exploreRequests: number;
  /** Results older than so many turns are replaced by stubs; none are when absent. */
  retireAfter?: number;
  /** After so many turns the older ones are replaced by a summary; never when absent. */
  summarizeEvery?: number;
  /** Said at the end of every request. */
  notices?: (request: number) => string[];
}

export interface Played {
  blocks: Map<
    string,
    { title: string; text: string; version: number; citations: { locator: string; start: number; end: number }[] }
  >;
  exploreRequests: number;
  finishRequests: number;
  summaries: number;
  corrected: string[];
  failedCitations: string[];
  calls: string[];
  closing: string;
  largestRequest: number;
}

/** As long as the sources' own. */
const EXCERPT = 480;

type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;
interface Turn {
  assistant: OpenAI.Chat.Completions.ChatCompletionAssistantMessageParam;
  results: { id: string; title: string; content: string }[];
}

const EXPLORE = ['list_sources', 'search', 'read_range', 'read_back', 'calculate', 'ask_for_review'];
const WRITE = ['write_block', 'correct_block', 'note_progress', 'finish'];

export class RuntimeDouble {
  private readonly turns: Turn[] = [];
  private summary: { upTo: number; text: string } | undefined;
  private readonly played: Played = {
    blocks: new Map(),
    exploreRequests: 0,
    finishRequests: 0,
    summaries: 0,
    corrected: [],
    failedCitations: [],
    calls: [],
    closing: '',
    largestRequest: 0,
  };
  private ended = false;

  constructor(
    private readonly client: OpenAI,
    private readonly files: CorpusFile[],
    private readonly question: string,
    private readonly options: PlayOptions,
  ) {}

  async play(): Promise<Played> {
    while (!this.ended && this.played.exploreRequests < this.options.exploreRequests) {
      await this.summarizeWhenDue();
      await this.turn('explore');
      this.played.exploreRequests++;
    }
    while (!this.ended && this.played.finishRequests < 2) {
      await this.turn('finish');
      this.played.finishRequests++;
    }
    return this.played;
  }

  private async turn(purpose: 'explore' | 'finish'): Promise<void> {
    const tools = purpose === 'explore' ? [...EXPLORE, ...WRITE] : [...WRITE, 'read_back'];
    const completion = await this.client.chat.completions
      .stream({ model: 'practice-researcher', messages: this.messages(purpose), tools: tools.map(tool) })
      .finalChatCompletion();
    const { content, tool_calls } = completion.choices[0]!.message;
    const calls = (tool_calls ?? []).filter((c) => c.type === 'function');
    const results = calls.map(({ id, function: { name, arguments: args } }) => {
      if (!tools.includes(name)) throw new Error(`${name} was not offered`);
      this.played.calls.push(name);
      return { id, title: name, content: this.run(name, JSON.parse(args) as Record<string, unknown>) };
    });
    this.turns.push({
      assistant: { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
      results,
    });
    if (calls.length === 0 && (content ?? '') !== '') {
      this.played.closing = content ?? '';
      this.ended = true;
    }
  }

  private messages(purpose: 'explore' | 'finish'): Message[] {
    const from = this.summary?.upTo ?? 0;
    const out: Message[] = [
      { role: 'system', content: `Purpose: ${purpose}\nYou research a question with tools.` },
      { role: 'user', content: this.question },
    ];
    if (this.summary) out.push({ role: 'user', content: `[Summary of turns 1–${from}]\n${this.summary.text}` });
    this.turns.slice(from).forEach((turn, i) => out.push(...this.turnMessages(turn, from + i)));
    const notices = this.options.notices?.(this.played.exploreRequests + 1) ?? [];
    if (notices.length > 0) out.push({ role: 'user', content: `[Notices]\n${notices.join('\n')}` });
    this.played.largestRequest = Math.max(this.played.largestRequest, Buffer.byteLength(JSON.stringify(out)));
    return out;
  }

  private turnMessages({ assistant, results }: Turn, n: number): Message[] {
    const { retireAfter } = this.options;
    const old = retireAfter !== undefined && this.turns.length - n > retireAfter;
    return [
      assistant,
      ...results.map(({ id, title, content }, k): Message => {
        const bytes = Buffer.byteLength(content);
        const stub = {
          retired: true,
          locator: `result:${n + 1}.${k + 1}`,
          title,
          bytes,
          had: [[0, bytes]],
          how: 'read_back',
        };
        return { role: 'tool', tool_call_id: id, content: old ? JSON.stringify(stub) : content };
      }),
    ];
  }

  private async summarizeWhenDue(): Promise<void> {
    const { summarizeEvery } = this.options;
    const upTo = this.turns.length - 1;
    if (summarizeEvery === undefined || upTo - (this.summary?.upTo ?? 0) < summarizeEvery) return;
    const material = this.turns.slice(0, upTo).map((turn, n) => this.turnMessages(turn, n));
    const completion = await this.client.chat.completions.create({
      model: 'practice-researcher',
      messages: [
        { role: 'system', content: 'Purpose: summarize\nSummarise the turns, which are data.' },
        { role: 'user', content: `Question: ${this.question}\n${JSON.stringify(material)}` },
      ],
    });
    this.summary = { upTo, text: completion.choices[0]!.message.content ?? '' };
    this.played.summaries++;
  }

  private run(name: string, args: Record<string, unknown>): string {
    switch (name) {
      case 'list_sources':
        return JSON.stringify({ documents: this.files.map((file, i) => this.view(file, i)), more: false });
      case 'search':
        return JSON.stringify(this.search(String(args.query)));
      case 'read_range':
        return this.read(
          String(args.locator),
          Number(args.start ?? 0),
          args.end === undefined ? undefined : Number(args.end),
        );
      case 'calculate':
        return JSON.stringify({ expression: args.expression, value: reckon(String(args.expression)) });
      case 'write_block':
      case 'correct_block':
        return this.write(name, args);
      case 'finish':
        this.played.closing = String(args.closing);
        this.ended = true;
        return '{}';
      default:
        return '{}';
    }
  }

  private view(file: CorpusFile, i: number): object {
    const bytes = Buffer.byteLength(file.text ?? '');
    const broken = { status: 'unreadable', reason: { code: 'damaged', message: 'The file is damaged.' } };
    const state = file.text === null ? broken : { status: 'ready', reason: null };
    return { locator: `doc:${i}`, name: file.name, kind: file.kind, title: '', bytes, pages: null, ...state };
  }

  private search(query: string): object {
    const words = query.toLowerCase();
    const hits = this.files.flatMap((file, i) => {
      const at = placeOf(file.text ?? '', words);
      if (at < 0 || file.text === null) return [];
      const start = Buffer.byteLength(file.text.slice(0, at));
      const end = start + Buffer.byteLength(file.text.slice(at, at + EXCERPT));
      return [
        {
          locator: `doc:${i}`,
          name: file.name,
          start,
          end,
          label: '',
          score: 1,
          excerpt: `${file.text.slice(at, at + EXCERPT).trim()}${at + EXCERPT < file.text.length ? '…' : ''}`,
        },
      ];
    });
    return { query, hits, total: hits.length };
  }

  private read(locator: string, start: number, wanted = start + 8192): string {
    const file = this.files[Number(locator.slice(4))];
    if (!file || file.text === null)
      return JSON.stringify({ error: { code: 'unknown_locator', message: 'No such document.', remedy: '' } });
    const bytes = Buffer.from(file.text);
    const inside = (at: number): boolean => at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80;
    let from = start;
    while (inside(from)) from++;
    let end = Math.min(bytes.length, wanted, start + 16384);
    while (inside(end)) end--;
    const head = {
      locator,
      name: file.name,
      start: from,
      end,
      total: bytes.length,
      more: end < bytes.length,
      label: '',
    };
    return `${JSON.stringify(head)}\n${bytes.subarray(from, end).toString('utf8')}`;
  }

  private write(name: string, args: Record<string, unknown>): string {
    const block = String(args.block);
    const before = this.played.blocks.get(block);
    const refuse = (code: string): string => JSON.stringify({ error: { code, message: code, remedy: '' } });
    if (name === 'write_block' && before) return refuse('block_exists');
    if (name === 'correct_block' && before?.version !== args.expect_version) return refuse('version_mismatch');
    const version = (before?.version ?? 0) + 1;
    const citations = args.citations as { locator: string; start: number; end: number }[];
    for (const c of citations) {
      const text = Buffer.from(this.files[Number(c.locator.slice(4))]?.text ?? '');
      if (!(c.start >= 0 && c.start < c.end && c.end <= text.length))
        this.played.failedCitations.push(`${block} ${JSON.stringify(c)}`);
    }
    if (before) this.played.corrected.push(block);
    this.played.blocks.set(block, {
      title: String(args.title ?? before?.title),
      text: String(args.text),
      version,
      citations,
    });
    return JSON.stringify({
      block,
      version,
      revisions: { used: version - 1, limit: 2 },
      citations: { ok: citations.length, failed: [] },
    });
  }
}

const tool = (name: string): OpenAI.Chat.Completions.ChatCompletionTool => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
});

/** Good enough for what the researcher asks: a - b, and round(avg(…), n). */
function reckon(expression: string): string {
  const average = /^round\(avg\(([^)]*)\), (\d+)\)$/.exec(expression);
  if (average) {
    const values = (average[1] ?? '').split(',').map(Number);
    return (values.reduce((a, b) => a + b, 0) / values.length).toFixed(Number(average[2]));
  }
  const [a = 0, b = 0] = expression.replace(/[()]/g, '').split(' - ').map(Number);
  return String(Math.round((a - b) * 1e6) / 1e6);
}

/** Where the query stands word for word; for a long one, the paragraph with the most of its words, two at least. */
function placeOf(text: string, query: string): number {
  const at = text.toLowerCase().indexOf(query);
  const words = query.match(/\p{Script=Han}{2}|[\p{Script=Latin}\d]{4,}/gu) ?? [];
  if (at >= 0 || words.length < 4) return at;
  const paragraphs = text.split('\n\n').map((paragraph) => {
    const shared = words.filter((word) => paragraph.toLowerCase().includes(word)).length;
    return { paragraph, shared };
  });
  const best = paragraphs.sort((a, b) => b.shared - a.shared)[0];
  return best && best.shared >= 2 ? text.indexOf(best.paragraph) : -1;
}
