import { markedRecord } from '../../domain/provenance/witness.js';
import { runRecord, verdict } from '../base/documents.js';
import { answering } from '../base/operation.js';
import { ONE_RUN } from './fields.js';
import { noRun } from './runs.js';

const getRecord = answering({
  id: 'getProvenance',
  method: 'get',
  path: '/runs/{slug}/provenance',
  scope: 'read',
  summary: 'Its whole record: rows, chain and seals',
  params: ONE_RUN,
  refuses: [404],
  answer: runRecord,
  async handle({ provenance }, { params: { slug } }) {
    const record = await provenance.record(slug);
    if (record === undefined) throw noRun(slug);
    return markedRecord(record);
  },
});

const getVerdict = answering({
  id: 'verifyProvenance',
  method: 'get',
  path: '/runs/{slug}/provenance/verdict',
  scope: 'read',
  summary: 'Whether its record is whole, as this machine’s keys say; an export can be verified without it',
  params: ONE_RUN,
  refuses: [404],
  answer: verdict,
  async handle({ provenance }, { params: { slug } }) {
    const found = await provenance.verify(slug);
    if (found === undefined) throw noRun(slug);
    return { ok: found.problems.length === 0, ...found };
  },
});

export const RECORD_OPERATIONS = [getRecord, getVerdict];
