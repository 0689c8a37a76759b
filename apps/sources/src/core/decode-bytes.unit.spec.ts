import { decodeBytes, detectEncoding } from './decode-bytes.js';

/** 汽车出口 in GB 2312. */
const GB = Uint8Array.of(0xc6, 0xfb, 0xb3, 0xb5, 0xb3, 0xf6, 0xbf, 0xda);

test('F-R7: NUL, its escape and a lone surrogate of a UTF-8 file are text', () => {
  const text = 'a\0b \\u0000 \ud800 c';
  const bytes = Buffer.concat([Buffer.from('a\0b \\u0000 '), Buffer.of(0xed, 0xa0, 0x80), Buffer.from(' c')]);
  expect(decodeBytes(bytes)).toBe(text);
});

test('UTF-16 is known by its mark or its zeros, and keeps lone surrogates', () => {
  expect(decodeBytes(Buffer.from('\ufeff出口 12', 'utf16le'))).toBe('出口 12');
  expect(decodeBytes(Buffer.from('\ufeff出口 12', 'utf16le').swap16())).toBe('出口 12');
  expect(decodeBytes(Buffer.from('no mark at all', 'utf16le'))).toBe('no mark at all');
  expect(decodeBytes(Buffer.from('\ufeffa\udc00b', 'utf16le'))).toBe('a\udc00b');
});

test('a mark is no part of the text', () => {
  expect(decodeBytes(Buffer.from('\ufeffa'))).toBe('a');
});

test('GB 18030 is known by its pairs, latin1 is what remains', () => {
  expect(decodeBytes(Buffer.concat([Buffer.from('Export: '), GB]))).toBe('Export: 汽车出口');
  expect(decodeBytes(Buffer.from('Müller, Größe und Café', 'latin1'))).toBe('Müller, Größe und Café');
});

test('what a file says of itself counts when it is not UTF-8', () => {
  expect(detectEncoding(Uint8Array.of(0xc4, 0xe4), 'iso-8859-1')).toBe('latin1');
  expect(detectEncoding(Buffer.from('Größe'), 'gbk')).toBe('utf-8');
});

test('a few odd bytes do not make a UTF-8 file something else', () => {
  const bytes = Buffer.concat([Buffer.from('研究报告汽车出口增长很快'), Buffer.of(0xff), Buffer.from('。')]);
  expect(decodeBytes(bytes)).toBe('研究报告汽车出口增长很快\ufffd。');
});
