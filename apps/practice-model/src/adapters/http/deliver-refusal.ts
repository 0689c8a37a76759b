import type { ApiRefusal } from '../../core/protocol/error-body.js';
import type { Fault } from '../../core/faults/fault-rule.js';
import type { Wire } from '../wire/wire.js';
import { ReplyStream } from './reply-stream.js';

export function deliverRefusal(out: ReplyStream, wire: Wire, refusal: ApiRefusal): void {
  out.send(refusal.status, { 'content-type': 'application/json; charset=utf-8' }, wire.errorBody(refusal));
}

type StatusFault = Extract<Fault, { fault: 'status' }>;

const TYPES: Record<number, [type: string, code: string, message: string]> = {
  400: ['invalid_request_error', 'context_length_exceeded', "This model's maximum context length is exceeded."],
  401: ['invalid_request_error', 'invalid_api_key', 'Incorrect API key provided.'],
  403: ['permission_error', 'permission_denied', 'You are not allowed to use this model.'],
  413: ['invalid_request_error', 'context_length_exceeded', 'Request too large.'],
  429: ['rate_limit_error', 'rate_limit_exceeded', 'Rate limit reached.'],
  503: ['server_error', 'overloaded', 'The engine is currently overloaded.'],
};

/** An HTTP error as a provider sends it: `Retry-After` in seconds or as a date, with a body unless told otherwise. */
export function deliverStatus(out: ReplyStream, wire: Wire, fault: StatusFault): void {
  const [type, code, message] = TYPES[fault.status] ?? ['server_error', 'server_error', 'The server had an error.'];
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  if (fault.retryAfter !== undefined) headers['retry-after'] = String(fault.retryAfter);
  const refusal: ApiRefusal = { status: fault.status, message, type, code: fault.code ?? code, param: null };
  if (fault.body === false) {
    delete headers['content-type'];
    return out.send(fault.status, headers, '');
  }
  out.send(fault.status, headers, wire.errorBody(refusal));
}
