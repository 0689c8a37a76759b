import { z } from 'zod';
import { KEY_CHARACTERS, MODEL_APIS } from './core/apis.js';

const isAddress = (text: string): boolean => !/^https?:/.test(text) || URL.canParse(text);

/** How a provider is reached: keys of every service that asks one, `z.object({ ...modelEnv, MY_KEY: … })`. */
export const modelEnv = {
  /** The API that the provider speaks. A run keeps the one that it was admitted with. */
  MODEL_API: z.enum(MODEL_APIS).default('openai'),
  /** Base URL of the provider, e.g. `https://host/v1`. It stands in caches and logs, so a key never stands in it. */
  MODEL_URL: z
    .string()
    .regex(/^https?:\/\/[^@?#\s]+$/, 'expected http(s)://host[:port]/v1; a key is MODEL_KEY')
    .refine(isAddress, 'no address can be read from it; expected host or host:port after the //'),
  MODEL_KEY: z.string().regex(KEY_CHARACTERS, 'a key has visible ASCII characters only').default(''),
  /** Output cap of a main request in tokens. Unset: not sent, or `ANTHROPIC_OUTPUT_CAP` where the API needs one. */
  MODEL_OUTPUT_CAP: z.coerce.number().int().min(1).max(10_000_000).optional(),
};
