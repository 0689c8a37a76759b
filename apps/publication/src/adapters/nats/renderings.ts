import { createHash } from 'node:crypto';
import type { Report } from '@waymark/contracts/publication';
import type { ObjectRef } from '@waymark/contracts/wire';
import { ObjectStore } from '@waymark/messaging';

const ENDINGS = { json: 'json', markdown: 'md', html: 'html' } as const;

/** Reports and renderings that are too large for a message, in the object store. */
export class Renderings {
  constructor(private readonly objects: ObjectStore) {}

  /**
   * Stored once: the name bears the content's digest, and what is there is not written again under somebody who reads.
   */
  async store(report: Report, format: keyof typeof ENDINGS, text: string): Promise<ObjectRef> {
    const bytes = Buffer.from(text, 'utf8');
    const digest = createHash('sha256').update(bytes).digest('hex');
    const name = `publication/${report.run}/${report.version}-${digest.slice(0, 16)}.${ENDINGS[format]}`;
    const ref = { name, size: bytes.length, digest };
    const there = await this.objects.get(ref).catch(() => null);
    return there ? ref : await this.objects.put(name, bytes);
  }
}
