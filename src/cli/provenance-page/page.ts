/** A run's record as one page for an auditor, for a screen and for paper: no script, and nothing from elsewhere. */
import { createHash } from 'node:crypto';
import { fieldsOf } from '../../domain/base/is-record.js';
import { publishedInRows } from '../../domain/provenance/published.js';
import type { Columns, RunRecord } from '../../domain/provenance/record.js';
import type { Verdict } from '../../domain/provenance/verify-record.js';
import { parsedColumn, rowsOf, textOf, timeOf } from './fields.js';
import { html, type Html } from './html.js';
import { STYLE } from './style.js';
import { turnSections } from './turns.js';

export interface PageFacts {
  readonly verdict: Verdict;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A whole HTML document. What is in it is text of whoever wrote it; nothing of it can act. */
export function recordPage(record: RunRecord, { verdict, at }: PageFacts): string {
  const [run] = rowsOf(record, 'run');
  const body = html`<h1>Record of ${record.slug}</h1>
    <p class="lead">${textOf(run?.['subject'])}; made ${timeOf(at)} by bot-bottle provenance export --html</p>
    ${verdictBox(record, verdict)}
    <h2>The run</h2>
    ${runFacts(run, record)}
    <h2>Turns</h2>
    ${turnSections(record)}
    <h2>Proposals and decisions</h2>
    ${proposals(record)}
    <h2>What operators did</h2>
    ${commands(record)}
    <h2>What the agent did on the forge and beside it</h2>
    <p>As its sidecar says.</p>
    ${operations(record)}
    <h2>Seals</h2>
    ${seals(record)}
    <h2>Ledger</h2>
    <p>
      Each entry has the digest of its row and the hash of the entry before; a seal signs the hash of the
      newest one.
    </p>
    ${ledger(record)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${sha256(STYLE)}'">
<meta name="viewport" content="width=device-width">
<title>${html`Record of ${record.slug}`.text}</title>
<style>${STYLE}</style>
</head>
<body>
${body.text}
</body>
</html>
`;
}

function verdictBox(record: RunRecord, { problems, entries, sealed, ended, pruned }: Verdict): Html {
  const keys = [...new Set(record.seals.map(({ keyId }) => keyId))];
  const sum = `${String(entries)} entries, ${String(sealed)} of them under a good signature; the run ${ended ? 'has ended' : 'goes on'}.${pruned ? ' Its rows were removed on command; see what operators did.' : ''}`;
  const how = html`<p>
      This page proves nothing by itself. Ask for the export (<code
        >bot-bottle provenance export ${record.slug}</code
      >) and, by another way, for the public keys (<code>bot-bottle provenance key --all</code>), and verify
      them: <code>bot-bottle provenance verify --file run.dsse.json --key bot-bottle.pem</code>.
    </p>
    <p>
      Keys: ${keys.length === 0 ? 'none yet' : keys.map((id) => html`<span class="hash">${id}</span> `)}
    </p>`;
  if (problems.length === 0)
    return html`<div class="verdict">
      <strong>Whole: nothing was changed, dropped, put in or cut off.</strong>
      <p>${sum}</p>
      ${how}
    </div>`;
  const found = problems.map(({ kind, what }) => html`<li>${kind}: ${what}</li>`);
  return html`<div class="verdict bad">
    <strong>Not whole.</strong>
    <p>${sum}</p>
    <ul>
      ${found}
    </ul>
    ${how}
  </div>`;
}

function runFacts(run: Columns | undefined, record: RunRecord): Html {
  const commits = publishedInRows(record.rows);
  const bottles = run === undefined ? null : parsedColumn(run, 'bottleNames');
  const facts: readonly (readonly [string, string | null])[] = [
    ['Issue', textOf(run?.['subject'])],
    ['Agent', textOf(run?.['agentName'])],
    ['Bottles', Array.isArray(bottles) ? bottles.map(textOf).join(', ') : null],
    ['Triggered by', textOf(run?.['triggerActor'])],
    ['Trigger', [timeOf(run?.['triggerAt']), actOf(run)].filter(Boolean).join(', ') || null],
    ['Workflow', textOf(run?.['workflowId'])],
    ['State', record.phase],
    ['Published commits', commits.length === 0 ? 'none' : commits.join('\n')],
  ];
  return html`<dl>
    ${facts.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd> `,
    )}
  </dl>`;
}

function actOf(run: Columns | undefined): string | null {
  const id = textOf(run?.['triggerActId']);
  return id === null ? null : `act ${id} of the forge`;
}

function proposals(record: RunRecord): Html {
  const decisions = new Map(rowsOf(record, 'proposalDecision').map((row) => [row['id'], row]));
  return table(
    ['Time', 'Turn', 'Asked by', 'What', 'Decision', 'By'],
    rowsOf(record, 'proposal').map((row) => {
      const decision = decisions.get(row['id'] ?? null);
      const what = html`${textOf(row['tool'])} <span class="hash">${textOf(row['ref'])}</span>`;
      const outcome = decision === undefined ? 'none yet' : textOf(decision['status']);
      const who = [textOf(decision?.['who']), timeOf(decision?.['at'])].filter(Boolean).join(', ') || null;
      return [timeOf(row['at']), textOf(row['turn']), textOf(row['origin']), what, outcome, who];
    }),
  );
}

function commands(record: RunRecord): Html {
  return table(
    ['Time', 'Who', 'What', 'With'],
    rowsOf(record, 'operatorCommand').map((row) => {
      const detail = fieldsOf(parsedColumn(row, 'detail'));
      const given = Object.keys(detail).length === 0 ? null : JSON.stringify(detail);
      return [timeOf(row['at']), textOf(row['who']), textOf(row['kind']), given];
    }),
  );
}

function operations(record: RunRecord): Html {
  return table(
    ['Time', 'Turn', 'Operation', 'On', 'Outcome', 'Text'],
    rowsOf(record, 'operation').map((row) => {
      const outcome = textOf(row['outcome']);
      const isGood = outcome === 'ok';
      return [
        ...[timeOf(row['at']), textOf(row['turn']), textOf(row['operation']), textOf(row['target'])],
        isGood ? outcome : html`<span class="refused">${outcome}</span>`,
        textOf(row['text']),
      ];
    }),
  );
}

function seals({ seals: all }: RunRecord): Html {
  return table(
    ['#', 'Time', 'Why', 'Entries', 'Key'],
    all.map(({ n, at, reason, entries, keyId }) => [
      String(n),
      timeOf(at),
      whole(reason),
      String(entries),
      hash(keyId),
    ]),
  );
}

function ledger({ entries }: RunRecord): Html {
  return table(
    ['#', 'Row', 'Which', 'Hash'],
    entries.map((entry) => [String(entry.n), whole(entry.source), entry.key, hash(entry.hash)]),
  );
}

function hash(text: string): Html {
  return html`<span class="hash">${text}</span>`;
}

/** A word that is not broken, however narrow the page. */
function whole(word: string): Html {
  return html`<span class="whole">${word}</span>`;
}

function table(names: readonly string[], rows: readonly (readonly (string | Html | null)[])[]): Html {
  if (rows.length === 0) return html`<p>None.</p>`;
  const head = names.map((name) => html`<th scope="col">${name}</th>`);
  const body = rows.map(
    (cells) =>
      html`<tr>
        ${cells.map((cell) => html`<td>${cell}</td>`)}
      </tr> `,
  );
  return html`<table>
    <thead>
      <tr>
        ${head}
      </tr>
    </thead>
    <tbody>
      ${body}
    </tbody>
  </table>`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
