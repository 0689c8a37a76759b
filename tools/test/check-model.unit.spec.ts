import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcp } from 'node:net';
import type { AddressInfo } from 'node:net';
import { checkModel } from '../demo/check-model.mjs';

const json = (status: number, body: unknown): ((res: Parameters<RequestListener>[1]) => void) => {
  return (res) => void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
type Answers = Readonly<Record<string, (res: Parameters<RequestListener>[1]) => void>>;

describe('a model’s address, before the demo starts anything', () => {
  let server: Server;
  let asked: string[];
  let answers: Answers;
  beforeAll(async () => {
    server = createServer((req, res) => {
      const version = req.headers['anthropic-version'];
      const words = [req.method, req.url, req.headers.authorization, version && 'with a version'];
      asked.push(words.filter((word) => word !== undefined).join(' '));
      (answers[`${req.method} ${req.url}`] ?? json(404, { error: { message: 'not found' } }))(res);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => (asked = []));

  const host = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const check = async (
    given: Answers,
    { path = '/v1', key, api }: { path?: string; key?: string; api?: 'anthropic' } = {},
  ) => {
    answers = given;
    return await checkModel(
      { ...(api ? { api } : {}), url: `http://${host()}${path}`, name: 'm', ...(key === undefined ? {} : { key }) },
      500,
    );
  };
  const refused = (words: RegExp) => ({ error: expect.stringMatching(words) as string });

  it('that lists the model is taken, with the key, and nothing else is asked', async () => {
    expect(await check({ 'GET /v1/models': json(200, { data: [{ id: 'm' }] }) }, { key: 'k' })).toEqual({ note: null });
    expect(asked).toEqual(['GET /v1/models Bearer k']);
  });

  it('Anthropic is asked by its own path, with its version', async () => {
    const given = { 'GET /v1/models': json(404, {}), 'POST /v1/messages': json(400, { type: 'error' }) };
    expect(await check(given, { key: 'k', api: 'anthropic' })).toEqual({ note: null });
    expect(asked).toEqual(['GET /v1/models Bearer k with a version', 'POST /v1/messages Bearer k with a version']);
    expect(await check({ 'POST /v1/chat/completions': json(400, {}) }, { api: 'anthropic' })).toEqual(
      refused(/^no_model_api: .* neither \/models nor \/messages is below \/v1\n.*--model-api/),
    );
  });

  it('a model that is not listed is a note with those that are: a server may know more than it lists', async () => {
    const note = await check({ 'GET /v1/models': json(200, { data: [{ id: 'a' }, { id: 'b\n\u001b[2J' }] }) });
    expect(note).toEqual({ note: `${host()} lists no model "m"; it lists: a, b [2J` });
  });

  it('a key that is missing or not taken is named', async () => {
    expect(await check({ 'GET /v1/models': json(401, {}) })).toEqual(
      refused(
        /^model_refuses_key: 127\.0\.0\.1:\d+ answers 401: it wants a key\n {2}give its key by WAYMARK_MODEL_KEY_FILE/,
      ),
    );
    expect(await check({ 'GET /v1/models': json(401, {}) }, { key: 'k' })).toEqual(refused(/does not take this key/));
    expect(await check({ 'POST /v1/chat/completions': json(401, {}) })).toEqual(refused(/^model_refuses_key/));
  });

  it('a server without a list, or one that keeps it from this key, is taken when it knows the question’s path', async () => {
    for (const list of [404, 403, 501]) {
      const given = { 'GET /v1/models': json(list, {}), 'POST /v1/chat/completions': json(400, { error: {} }) };
      expect(await check(given)).toEqual({ note: null });
    }
    expect(asked).toContain('POST /v1/chat/completions');
  });

  it('a model that the server does not know is named, and not taken for a wrong path', async () => {
    for (const error of [
      { message: 'The model `m` does not exist', type: 'invalid_request_error', code: 'model_not_found' },
      { message: 'model "m" not found, try pulling it first' },
      'model m not found',
    ]) {
      expect(await check({ 'POST /v1/chat/completions': json(404, { error }) })).toEqual(
        refused(/^unknown_model: 127\.0\.0\.1:\d+ knows no model "m"\n {2}.*--model-name/),
      );
    }
    const anthropic = { type: 'error', error: { type: 'not_found_error', message: 'model: m' } };
    expect(await check({ 'POST /v1/messages': json(404, anthropic) }, { api: 'anthropic' })).toEqual(
      refused(/^unknown_model/),
    );
    const path = { error: { message: 'Invalid URL (POST /v1/chat/completions)' } };
    expect(await check({ 'POST /v1/chat/completions': json(404, path) })).toEqual(refused(/^no_model_api/));
  });

  it('a wrong path is named with the host and what would be right', async () => {
    const page = (res: Parameters<RequestListener>[1]): void => void res.end('<!doctype html>');
    const pages: Answers = { 'GET /wrong/models': page, 'POST /wrong/chat/completions': page };
    for (const given of [{}, pages]) {
      expect(await check(given, { path: '/wrong' })).toEqual(
        refused(/^no_model_api: 127\.0\.0\.1:\d+ answers, but .* below \/wrong\n {2}.*https:\/\/host\/v1/),
      );
    }
    const moved = (res: Parameters<RequestListener>[1]): void =>
      void res.writeHead(301, { location: 'https://elsewhere/v1/models?key=secret' }).end();
    expect(await check({ 'GET /v1/models': moved })).toEqual(
      refused(/^model_moved: .* sends elsewhere to https:\/\/elsewhere\/v1\/models \(301\)\n {2}/),
    );
  });

  it('a server that is down for a moment is a note', async () => {
    const down = { 'GET /v1/models': json(503, {}), 'POST /v1/chat/completions': json(503, {}) };
    expect(await check(down)).toEqual({ note: expect.stringContaining('answers 503 now') as string });
  });

  it('an address where nobody is, a host that does not exist and one that is mute are each named with a remedy', async () => {
    const closed = createTcp().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect(await checkModel({ url: `http://127.0.0.1:${port}/v1`, name: 'm' })).toEqual(
      refused(
        /^model_unreachable: 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\n {2}nothing listens there.*WAYMARK_MODEL_URL/,
      ),
    );
    expect(await checkModel({ url: 'http://no-such-host.invalid/v1', name: 'm' })).toEqual(
      refused(/^model_unreachable: no-such-host\.invalid cannot be reached \((ENOTFOUND|EAI_AGAIN)\)\n {2}\S/),
    );
    expect(await check({ 'GET /v1/models': () => undefined })).toEqual(
      refused(/^model_unreachable: .*\(no answer within 0\.5 s\)\n {2}\S/),
    );
    expect(await checkModel({ url: `https://${host()}/v1`, name: 'm' })).toEqual(
      refused(/^model_unreachable: .*no TLS there/s),
    );
  });
});
