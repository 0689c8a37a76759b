/** Seeded corpora of invented funds with computed answers, for tests that must not know their documents beforehand. */
export type { CorpusAnswers } from './ask.js';
export { generateCorpus, type Corpus, type CorpusOptions } from './generate-corpus.js';
export type { CorpusFile, Draft } from './document.js';
export { demoCorpus } from './write-demo-corpus.js';
export { teachingCorpus } from './teaching-corpus.js';
export { writeDocument } from './write-document.js';
