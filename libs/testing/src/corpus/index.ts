/** Seeded corpora of invented funds with computed answers, for tests that must not know their documents beforehand. */
export { generateCorpus, type Corpus, type CorpusAnswers, type CorpusOptions } from './generate-corpus.js';
export type { CorpusFile } from './document.js';
export { demoCorpus } from './write-demo-corpus.js';
