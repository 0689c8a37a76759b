/** The APIs that providers speak: OpenAI's chat completions, and Anthropic's Messages. */
export const MODEL_APIS = ['openai', 'anthropic'] as const;
export type ModelApi = (typeof MODEL_APIS)[number];

/** Tokens of output where the API demands a cap and none is configured: what every current model of Anthropic's allows. */
export const ANTHROPIC_OUTPUT_CAP = 8_192;

/** What may stand in a header as a key: anything else would be named, key and all, by whoever refuses it. */
export const KEY_CHARACTERS = /^[\x21-\x7e]*$/;
