import { z } from 'zod';

const match = z
  .strictObject({
    model: z.string(),
    purpose: z.enum(['explore', 'finish', 'summarize', 'review']),
    idPrefix: z.string(),
    minBytes: z.number().int().min(0),
    nth: z.number().int().min(1),
    every: z.number().int().min(1),
  })
  .partial()
  .optional();

const shared = { match, times: z.number().int().min(1).optional() };
const count = z.number().int().min(0).max(1_000_000);
const everyMs = z.number().int().min(1).max(60_000).optional();

const rule = z.discriminatedUnion('fault', [
  z.strictObject({
    ...shared,
    fault: z.literal('status'),
    status: z.number().int().min(400).max(599),
    /** Seconds, or an HTTP date. */
    retryAfter: z.union([z.number().min(0), z.string().min(1)]).optional(),
    code: z.string().optional(),
    body: z.boolean().optional(),
  }),
  z.strictObject({ ...shared, fault: z.literal('stall') }),
  z.strictObject({ ...shared, fault: z.literal('stall_after'), bytes: count }),
  z.strictObject({ ...shared, fault: z.literal('pings_only'), everyMs }),
  z.strictObject({ ...shared, fault: z.literal('cut'), chunks: count }),
  z.strictObject({ ...shared, fault: z.literal('garbage'), form: z.enum(['html', 'sse']).optional() }),
  z.strictObject({ ...shared, fault: z.literal('slow'), everyMs }),
  z.strictObject({ ...shared, fault: z.literal('mid_error'), chunks: count.optional() }),
  z.strictObject({ ...shared, fault: z.literal('empty') }),
  z.strictObject({ ...shared, fault: z.literal('length') }),
  z.strictObject({ ...shared, fault: z.literal('filtered') }),
  z.strictObject({ ...shared, fault: z.literal('always_tools') }),
  z.strictObject({ ...shared, fault: z.literal('bad_tool_json') }),
  z.strictObject({ ...shared, fault: z.literal('unknown_tool') }),
  z.strictObject({ ...shared, fault: z.literal('latency'), ms: z.number().int().min(0).max(600_000) }),
]);

/** What FAULTS and `POST /control/faults` take. The first rule that strikes a request decides. */
export const faultPlanSchema = z.strictObject({ rules: z.array(rule).max(1000) });
