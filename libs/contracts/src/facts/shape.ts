/**
 * The facts that owners publish, as everybody else may rely on them: the `data` of an event.
 *
 * 1. Within v1 a fact only gains optional fields, and an owner only gains facts: ignore what you do not know.
 * 2. Texts stand as references {digest, bytes} where they are long: `read-body` gives them.
 */
import type { z } from 'zod';

export interface FactShape {
  /** What has happened, past tense, for a stranger. */
  readonly about: string;
  readonly data: z.ZodType;
}
export type FactShapes = Readonly<Record<string, FactShape>>;
