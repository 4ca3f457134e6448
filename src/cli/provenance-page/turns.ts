import { fieldsOf } from '../../domain/base/is-record.js';
import type { Columns, RunRecord } from '../../domain/provenance/record.js';
import { listOf, parsedColumn, rowsOf, textOf, timeOf, type Fields } from './fields.js';
import { html, type Html } from './html.js';

/** A section for each turn, in order. */
export function turnSections(record: RunRecord): Html {
  const rows = rowsOf(record, 'turn');
  const numbers = [...new Set(rows.map(({ turn }) => Number(turn)))].sort((a, b) => a - b);
  if (numbers.length === 0) return html`<p>None has begun.</p>`;
  return html`${numbers.map((turn) => turnSection(turn, rows))}`;
}

function turnSection(turn: number, rows: readonly Columns[]): Html {
  const rowOf = (event: string): Columns | undefined =>
    rows.find((row) => Number(row['turn']) === turn && row['event'] === event);
  const [begun, ended] = [rowOf('begun'), rowOf('ended')];
  const begin = fieldsOf(begun && parsedColumn(begun, 'detail'));
  const end = fieldsOf(ended && parsedColumn(ended, 'detail'));
  const facts: readonly (readonly [string, string | null])[] = [
    ['Cause', textOf(begin['cause'])],
    ['Began', timeOf(begun?.['at'])],
    ['Agent ran', runTime(end)],
    ['Host', textOf(end['host'])],
    ['Provider', [begin['provider'], begin['providerVersion']].map(textOf).filter(Boolean).join(' ') || null],
    ['Image', textOf(end['imageId'])],
    ['Prompt (SHA-256)', textOf(begin['promptHash'])],
    ['Session, by the agent', textOf(end['sessionId'])],
    ['Transcript (SHA-256)', textOf(end['transcriptHash'])],
    ['Exit code', textOf(end['exitCode'])],
    ['Agent said', done(fieldsOf(end['done']))],
    ['Stopped by us', textOf(end['stopped'])],
    ['Watchdog fired', textOf(end['watchdogFired'])],
    ['Why it is at rest', textOf(end['reason'])],
    ['Model, by the sidecar', use(fieldsOf(fieldsOf(end['model'])['use']))],
    ['Reached, by the sidecar', reached(fieldsOf(end['egress']))],
    ['Secret scans', scans(listOf(end['secretScans']))],
    ['Published by open_pr', byAgent(listOf(end['published']))],
    ['Published', published(fieldsOf(end['publish']))],
  ];
  const shown = facts.filter(([, value]) => value !== null);
  return html`<section>
    <h3>Turn ${turn}${ended === undefined ? ' (no end is recorded)' : ''}</h3>
    <dl>
      ${shown.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd> `,
      )}
    </dl>
  </section> `;
}

function runTime({ startedAt, finishedAt }: Fields): string | null {
  if (typeof startedAt !== 'number' || typeof finishedAt !== 'number') return null;
  return `${timeOf(startedAt) ?? ''} to ${timeOf(finishedAt) ?? ''}, ${String(Math.round((finishedAt - startedAt) / 1000))} s`;
}

function done({ status, summaryRef }: Fields): string | null {
  const [said, summary] = [textOf(status), textOf(summaryRef)];
  return said === null || summary === null ? said : `${said}, with the summary (SHA-256) ${summary}`;
}

function use(metered: Fields): string | null {
  const { requests, inputTokens, outputTokens, microUsd } = metered;
  if (typeof requests !== 'number') return null;
  const usd = typeof microUsd === 'number' ? `, ${(microUsd / 1e6).toFixed(4)} USD` : '';
  return `${String(requests)} requests, ${textOf(inputTokens) ?? '0'} tokens in, ${textOf(outputTokens) ?? '0'} out${usd}, as metered`;
}

function reached({ hosts, refusals }: Fields): string | null {
  const open = listOf(hosts).map((one) => textOf(fieldsOf(one)['host']));
  const closed = listOf(refusals).map((one) => `${textOf(fieldsOf(one)['host']) ?? ''} (refused)`);
  const all = [...open, ...closed].filter(Boolean);
  return all.length === 0 ? null : all.join(', ');
}

function scans(reports: readonly unknown[]): string | null {
  return reports.length === 0 ? null : reports.map((report) => scan(fieldsOf(report))).join('; ');
}

function scan({ scanner, outcome, findings, rules }: Fields): string {
  const names = listOf(rules).map(textOf).filter(Boolean).join(', ');
  const found = findings === 0 ? [] : [`${textOf(findings) ?? 'unknown'} findings`, names];
  return `${textOf(scanner) ?? 'unknown'}: ${[textOf(outcome), ...found].filter(Boolean).join(', ')}`;
}

function byAgent(works: readonly unknown[]): string | null {
  const each = works
    .map(fieldsOf)
    .map(({ pr, head }) => `pull request #${String(pr)}, ${textOf(head) ?? ''}`);
  return each.length === 0 ? null : each.join('; ');
}

function published(publish: Fields): string | null {
  const { kind, pr, prUrl, head, reason } = publish;
  if (textOf(kind) === null) return null;
  const request = textOf(pr) === null ? null : `pull request #${String(pr)} ${textOf(prUrl) ?? ''}`;
  return [textOf(kind), request, textOf(head), textOf(reason)].filter(Boolean).join(', ');
}
