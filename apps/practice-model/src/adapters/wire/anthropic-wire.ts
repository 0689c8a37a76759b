import type { ErrorResponse } from '@anthropic-ai/sdk/resources/shared';
import { invalid, type ApiRefusal } from '../../core/protocol/error-body.js';
import { validateMessages } from '../../core/protocol/validate-messages.js';
import { emptyText, encodeEvents, encodeMessage, named, PING } from './anthropic-encode.js';
import { bearer, type Wire } from './wire.js';

type ErrorType = ErrorResponse['error']['type'] | 'request_too_large';

const TYPES: Readonly<Record<number, ErrorType>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** "Too long" has no code of its own: these words are the provider's. */
const wordsOf = ({ status, code, message }: ApiRefusal): string =>
  status === 400 && code === 'context_length_exceeded' ? `prompt is too long: ${message}` : message;

const errorOf = (
  refusal: ApiRefusal,
): { type: 'error'; error: { type: ErrorType; message: string }; request_id: string } => ({
  type: 'error',
  error: { type: TYPES[refusal.status] ?? 'api_error', message: wordsOf(refusal) },
  request_id: 'req_practice',
});

/** Anthropic's Messages. */
export const anthropicWire: Wire = {
  api: 'anthropic',
  validate: validateMessages,
  headerRefusal: (headers) =>
    headers['anthropic-version'] === undefined ? invalid('anthropic-version: header is required') : undefined,
  keyOf: (headers) => {
    const key = headers['x-api-key'];
    return typeof key === 'string' ? key : bearer(headers.authorization);
  },
  stream: encodeEvents,
  whole: encodeMessage,
  pings: () => [PING, emptyText()],
  errorBody: (refusal) => JSON.stringify(errorOf(refusal)),
  errorEvent: (refusal) => named(errorOf(refusal)),
};
