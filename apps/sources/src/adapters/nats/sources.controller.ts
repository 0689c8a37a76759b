import { Controller } from '@nestjs/common';
import { sourcesContracts as contracts } from '@waymark/contracts/sources';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { Db } from '@waymark/persistence';
import { addDocument, Intake } from '../../handlers/add-document.js';
import { checkRanges } from '../../handlers/check-ranges.js';
import { describeCorpus } from '../../handlers/describe-corpus.js';
import { listDocuments } from '../../handlers/list-documents.js';
import { readRange } from '../../handlers/read-range.js';
import { search } from '../../handlers/search.js';
import { Documents } from '../postgres/documents.js';
import { TextReader } from '../postgres/text-reader.js';

type Contracts = typeof contracts;
type Asked<K extends keyof Contracts> = ParsedRequestOf<Contracts[K]>;
type Answer<K extends keyof Contracts> = Promise<ReplyOf<Contracts[K]>>;

/** Every subject of sources and the handler that serves it. */
@Controller()
export class SourcesController {
  constructor(
    private readonly db: Db,
    private readonly documents: Documents,
    private readonly reader: TextReader,
    private readonly intake: Intake,
  ) {}

  @Handle(contracts.addDocument)
  addDocument(request: Asked<'addDocument'>): Answer<'addDocument'> {
    return addDocument(this.intake, request);
  }

  @Handle(contracts.describeCorpus)
  describeCorpus(request: Asked<'describeCorpus'>): Answer<'describeCorpus'> {
    return describeCorpus(this.documents, request);
  }

  @Handle(contracts.listDocuments)
  listDocuments(request: Asked<'listDocuments'>): Answer<'listDocuments'> {
    return listDocuments(this.documents, request);
  }

  @Handle(contracts.search)
  search(request: Asked<'search'>): Answer<'search'> {
    return search({ db: this.db, documents: this.documents }, request);
  }

  @Handle(contracts.readRange)
  readRange(request: Asked<'readRange'>): Answer<'readRange'> {
    return readRange(this.reader, request);
  }

  @Handle(contracts.checkRanges)
  checkRanges(request: Asked<'checkRanges'>): Answer<'checkRanges'> {
    return checkRanges({ db: this.db, reader: this.reader }, request);
  }
}
