import { format, resolveConfig } from 'prettier';
import type { RecordedAct } from './recorded-delivery.js';

const BEGIN = '<!-- recorded: npm run record:deliveries writes what follows -->';
const END = '<!-- end of what is recorded -->';

/** The page with its table as the recorded acts say it, in the project's formatting. Errors: no place for the table. */
export async function withEventsTable(
  page: string,
  file: string,
  acts: ReadonlyMap<string, RecordedAct>,
): Promise<string> {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${file} has no place for the table`);
  const rows = [...acts.values()].map(({ act, deliveries }) => {
    const cells = deliveries.map(({ event, eventType, body }) => {
      const action = body['action'];
      return [event, eventType, ...(typeof action === 'string' ? [action] : [])]
        .map((word) => `\`${word}\``)
        .join(' ');
    });
    return `| ${act} | ${cells.join('; ') || 'nothing'} |`;
  });
  const table = ['| what was done | what came: event, type, action |', '| --- | --- |', ...rows].join('\n');
  const text = `${page.slice(0, begin)}${BEGIN}\n\n${table}\n\n${page.slice(end)}`;
  return await format(text, { ...(await resolveConfig(file)), filepath: file });
}
