import { headers, type MsgHdrs } from '@nats-io/transport-node';

/** Marks a reply as an {@link ErrorBody}; both carry its code. */
export const ERROR_HEADER = 'Nats-Service-Error';
export const ERROR_CODE_HEADER = 'Nats-Service-Error-Code';
export const MESSAGE_ID_HEADER = 'Waymark-Message-Id';
export const TRACE_HEADER = 'traceparent';

/** Headers of a reply: the request's trace headers, and the error's code when it is one. */
export function replyHeaders(request: MsgHdrs | undefined, code?: string): MsgHdrs | undefined {
  let reply: MsgHdrs | undefined;
  for (const name of [TRACE_HEADER, MESSAGE_ID_HEADER]) {
    const value = request?.get(name);
    if (value) (reply ??= headers()).set(name, value);
  }
  if (code !== undefined) {
    reply ??= headers();
    reply.set(ERROR_HEADER, code);
    reply.set(ERROR_CODE_HEADER, code);
  }
  return reply;
}
