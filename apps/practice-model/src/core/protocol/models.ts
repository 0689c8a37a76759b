export const PRACTICE_LABEL = 'practice model: not a language model';

export const MODELS = ['practice-researcher', 'practice-bench'] as const;
export type ModelId = (typeof MODELS)[number];

export const isModel = (id: string): id is ModelId => (MODELS as readonly string[]).includes(id);
