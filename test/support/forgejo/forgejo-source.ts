import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiDocument } from './api-document.js';
import { readGo, textsOf, type GoSource } from './go-source.js';

export interface ForgejoSource {
  readonly document: ApiDocument;
  readonly structs: GoSource;
  /** Texts in the code about timelines, about the events of a webhook that is set up, and about headers. */
  readonly timeline: ReadonlySet<string>;
  readonly hookEvents: ReadonlySet<string>;
  readonly headers: ReadonlySet<string>;
}

/** What `script/bootstrap` brought of Forgejo's source; `undefined` where it could not. */
export function forgejoSource(): ForgejoSource | undefined {
  const home = process.env['FORGEJO_SOURCE'] ?? '';
  if (home === '') return undefined;
  const structs = readGo(join(home, 'modules/structs'), join(home, 'modules/webhook'));
  const template = readFileSync(join(home, 'templates/swagger/v1_json.tmpl'), 'utf8');
  const textsIn = (path: string) => textsOf(readFileSync(join(home, path), 'utf8'));
  return {
    document: new ApiDocument(template, structs),
    structs,
    timeline: textsIn('models/issues/comment.go'),
    hookEvents: textsIn('routers/api/v1/utils/hook.go'),
    headers: textsIn('services/webhook/shared/payloader.go'),
  };
}
