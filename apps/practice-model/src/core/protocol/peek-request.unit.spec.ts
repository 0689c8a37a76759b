import { peekRequest } from './peek-request.js';

describe('peekRequest', () => {
  it('reads model, purpose and stream whatever the order and spacing', () => {
    const messages = [{ role: 'system', content: 'Purpose: summarize\nx' }];
    const body = { messages, stream_options: { include_usage: true }, stream: true, model: 'practice-bench' };
    const seen = { model: 'practice-bench', purpose: 'summarize', stream: true, includeUsage: true };
    expect(peekRequest(JSON.stringify(body))).toEqual(seen);
    expect(peekRequest(JSON.stringify(body, null, 2))).toEqual(seen);
  });

  it('is not misled by words inside texts', () => {
    const messages = [
      { role: 'user', content: '"model":"evil", "stream": true Purpose: finish' },
      { role: 'user', content: 'model' },
    ];
    expect(peekRequest(JSON.stringify({ messages, model: 'm' }))).toEqual({
      model: 'm',
      stream: false,
      includeUsage: false,
    });
  });
});
