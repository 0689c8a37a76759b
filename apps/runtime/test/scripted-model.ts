/** A provider that answers by a script: the question names it (`SCRIPT:name`), the request's number in its run picks the answer. */
import { createServer } from 'node:http';

export interface ScriptedAnswer {
  readonly text?: string;
  readonly calls?: readonly (readonly [tool: string, args: object])[];
  readonly usage?: object;
}
export type Script = (request: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

export interface ScriptedModel {
  /** Base URL of an OpenAI-compatible API. */
  readonly url: string;
  /** Requests that arrived for a run. */
  requests(run: string): number;
  stop(): Promise<void>;
}

export async function scriptedModel(scripts: Readonly<Record<string, Script>>): Promise<ScriptedModel> {
  const requests = new Map<string, number>();
  const answer = async (id: string, body: string): Promise<object> => {
    const run = id.split('/')[0] ?? '';
    const request = (requests.get(run) ?? 0) + 1;
    requests.set(run, request);
    const script = scripts[/SCRIPT:(\w+)/.exec(body)?.[1] ?? ''];
    const { text = null, calls, usage } = script ? await script(request) : { text: 'No such script.' };
    const toolCalls = calls?.map(([name, args], i) => ({
      ...{ id: `call_${request}_${i}`, type: 'function' },
      function: { name, arguments: JSON.stringify(args) },
    }));
    const message = { role: 'assistant', content: text, ...(toolCalls ? { tool_calls: toolCalls } : {}) };
    const choice = { index: 0, message, finish_reason: toolCalls ? 'tool_calls' : 'stop' };
    return { id: 'x', object: 'chat.completion', choices: [choice], ...(usage ? { usage } : {}) };
  };
  const server = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      void answer(String(req.headers['x-waymark-request'] ?? ''), Buffer.concat(parts).toString('utf8')).then(
        (reply) => {
          res.writeHead(200, { 'content-type': 'application/json' });
          res.end(JSON.stringify(reply));
        },
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: (run) => requests.get(run) ?? 0,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
