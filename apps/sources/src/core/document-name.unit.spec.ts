import { refuseName } from './document-name.js';

test.each(['../x', 'a/../b', '..', '/etc/passwd', '', 'a//b', './a', 'a\0b', 'a\nb', '\ud800', 'é'.repeat(128)])(
  'a document named %j is refused as bad_name with a remedy',
  (name) => {
    expect(refuseName(name)).toMatchObject({
      code: 'bad_name',
      field: 'name',
      remedy: expect.stringContaining('relative'),
    });
  },
);

test.each(['a.pdf', 'reports/2024/a b.pdf', '报告/二〇二四.pdf', '..a', 'a..b/c', 'é'.repeat(127)])(
  'a document may be named %j',
  (name) => {
    expect(refuseName(name)).toBeUndefined();
  },
);
