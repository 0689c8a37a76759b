import { facts } from '../../test/facts.js';
import { refuseFacts } from './refuse-facts.js';

const OTHER = '0190a000-0000-7000-8000-000000000002';

it('R18: numbers of another run are refused, not told', () => {
  const f = facts();
  expect(refuseFacts(f)).toBeNull();
  expect(refuseFacts({ ...f, budget: { ...f.budget, run: OTHER } })).toMatchObject({ field: 'budget.run' });
  expect(refuseFacts({ ...f, publication: { ...f.publication, run: OTHER } })).toMatchObject({
    code: 'invalid_field',
    field: 'publication.run',
  });
});
