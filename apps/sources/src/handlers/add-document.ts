import { createHash } from 'node:crypto';
import type { addDocument as contract } from '@waymark/contracts/sources';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { WireError, type ObjectStore } from '@waymark/messaging';
import type { Added, Documents } from '../adapters/postgres/documents.js';
import { refuseSize } from '../core/decide-intake.js';
import { detectKind, kindByName } from '../core/document-kind.js';
import { locatorOf } from '../core/document-locator.js';
import { refuseName } from '../core/document-name.js';
import { unreadable } from '../core/unreadable.js';

/** What taking in needs of its surroundings. */
export abstract class Intake {
  abstract readonly documents: Documents;
  abstract readonly objects: ObjectStore;
  abstract readonly maxDocumentBytes: number;
  /** A file waits to be parsed. */
  abstract onPending(): void;
  /** The document is safe, but its object could not be deleted. */
  abstract onObjectKept(name: string, cause: unknown): void;
}

/**
 * Takes a document in: its bytes are in our database when this replies, and the object is deleted. Refusals: `bad_name`,
 * `unknown_object`, `object_mismatch`. A file that is too large or of no known kind is listed as unreadable; one that is
 * known as unreadable is tried again.
 */
export async function addDocument(
  deps: Intake,
  { corpus, name, object }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const refusal = refuseName(name);
  if (refusal) throw new WireError(refusal);
  const locator = locatorOf(sha256, corpus, name, object.digest);
  const known = await deps.documents.find(corpus, locator);
  const settled = known !== undefined && known.status !== 'unreadable';
  const added = settled ? undefined : await takeIn(deps, { corpus, name, object, locator });
  await deps.objects.delete(object.name).catch((cause: unknown) => deps.onObjectKept(object.name, cause));
  if (added) return added;
  const document = known ?? (await deps.documents.find(corpus, locator));
  if (document === undefined) throw new Error(`document ${locator} was added and is gone`);
  return { document, created: false };
}

type Wanted = ParsedRequestOf<typeof contract> & { locator: string };

/** @returns nothing when somebody else has added it meanwhile, who has also taken the object. */
async function takeIn(deps: Intake, wanted: Wanted): Promise<Added | undefined> {
  const { corpus, name, object, locator } = wanted;
  const row = { corpus, name, locator, digest: object.digest, title: name.split('/').at(-1) ?? name };
  const sizeFault = refuseSize(object.size, deps.maxDocumentBytes);
  if (sizeFault) return await deps.documents.addUnreadable({ ...row, kind: kindByName(name) }, sizeFault);
  const bytes = await bytesOf(deps, wanted);
  if (bytes === undefined) return undefined;
  const detected = detectKind(bytes, name);
  if (detected.kind === 'other') {
    const message = `The file is ${detected.what}; PDF, HTML, Markdown, CSV and text are read.`;
    return await deps.documents.addUnreadable({ ...row, kind: 'other' }, unreadable('unsupported_kind', message));
  }
  const added = await deps.documents.addPending({ ...row, kind: detected.kind }, bytes);
  if (added) deps.onPending();
  return added;
}

async function bytesOf(
  { documents, objects }: Intake,
  { corpus, locator, object }: Wanted,
): Promise<Uint8Array | undefined> {
  try {
    return await objects.get(object);
  } catch (cause) {
    if (await documents.find(corpus, locator)) return undefined;
    throw cause;
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
