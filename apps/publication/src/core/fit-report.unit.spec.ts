import { INLINE_BYTES } from '@waymark/contracts/wire';
import { fitReport } from './fit-report.js';

it('P7: report and rendering ride on one message when each is under 256 KiB, and are never cut', () => {
  expect(fitReport(1000, 1000)).toEqual({ report: 'inline', rendered: 'inline' });
  expect(fitReport(1000, INLINE_BYTES)).toEqual({ report: 'inline', rendered: 'stored' });
  expect(fitReport(INLINE_BYTES, 1000)).toEqual({ report: 'left_out', rendered: 'inline' });
  expect(fitReport(1000, null)).toEqual({ report: 'inline', rendered: 'none' });
  expect(fitReport(INLINE_BYTES, null)).toEqual({ report: 'stored', rendered: 'none' });
});
