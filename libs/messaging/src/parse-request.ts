import { MAX_BODY_BYTES, type Contract, type ParsedRequestOf } from '@waymark/contracts/wire';
import { describeIssues } from './describe-issue.js';
import { WireError } from './wire-error.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A request as the handler gets it. Refuses with `body_too_large`, `malformed_json` or the code of the first bad field. */
export function parseRequest<C extends Contract>(contract: C, body: Uint8Array): ParsedRequestOf<C> {
  const value = parseObject(body);
  const result = contract.request.safeParse(value);
  if (result.success) return result.data as ParsedRequestOf<C>;
  throw new WireError(describeIssues(contract.request, value, result.error.issues));
}

function parseObject(body: Uint8Array): object {
  if (body.length > MAX_BODY_BYTES) {
    throw new WireError({
      code: 'body_too_large',
      message: `the body has ${body.length} bytes; at most ${MAX_BODY_BYTES} are taken`,
      remedy:
        'send less: documents go through the object store as {name, size, digest}, other fields have limits of their own',
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(body));
  } catch (cause) {
    const error = {
      code: 'malformed_json',
      message: body.length === 0 ? 'the body is empty' : 'the body is not JSON in UTF-8',
      remedy: 'send one JSON object, {} when there is nothing to say',
    };
    throw new WireError(error, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new WireError({
    code: 'invalid_field',
    message: 'the body is JSON, but not an object',
    remedy: 'send one JSON object',
  });
}
