import { createHash } from 'node:crypto';
import { genesisHash, linkHash, toHex } from './chain.js';
import { decodeText, encodeFact, encodeText } from './canonical.js';

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

describe('L3: chain', () => {
  it('hashes exactly the documented bytes', () => {
    const run = '01890000-0000-7000-8000-000000000001';
    const genesis = genesisHash(sha256, run);
    expect(toHex(genesis)).toBe(createHash('sha256').update(`waymark/genesis/v1\0${run}`).digest('hex'));
    const body = encodeFact({ type: 'RunWoken' });
    const expected = createHash('sha256')
      .update('waymark/record/v1\0')
      .update(genesis)
      .update(Buffer.from('0000000000000002' + '0000000000000003' + '00000008', 'hex'))
      .update('RunWoken')
      .update(Buffer.from([0, 0, 0, body.length]))
      .update(body)
      .digest('hex');
    expect(toHex(linkHash(sha256, genesis, { seq: 2, epoch: 3, kind: 'RunWoken', body }))).toBe(expected);
  });

  it('encodes a fact canonically: key order in the program does not change its bytes', () => {
    const one = encodeFact({ type: 'X', b: 1, a: [2, { d: null, c: '字' }] } as { type: string });
    const two = encodeFact({ a: [2, { c: '字', d: null }], b: 1, type: 'X' } as { type: string });
    expect(new TextDecoder().decode(one)).toBe('{"a":[2,{"c":"字","d":null}],"b":1,"type":"X"}');
    expect(two).toEqual(one);
  });

  it('F-R7: any text comes back as it was', () => {
    for (const text of ['', 'plain', '\u0000', '\\u0000', 'a\ud800b', '\udfff', '字'.repeat(100)]) {
      const { bytes, escaped } = encodeText(text);
      expect(decodeText(bytes, escaped)).toBe(text);
    }
    expect(encodeText('字'.repeat(100)).bytes.length).toBe(300); // F-R6
  });
});
