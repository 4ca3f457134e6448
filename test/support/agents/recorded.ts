import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AgentProvider } from '../../../src/domain/agent-provider.js';
import type { AgentEvent, OutputStream, StreamSummary } from '../../../src/domain/agent-stream.js';

/**
 * What a real CLI printed in its bottle, asking the stub of a model: test/fixtures/agents/<cli>/<case>.log, a line each,
 * after the stream's name. What pi says to the model about itself is cut out.
 */
export function recorded(cli: string, name: string): readonly { stream: OutputStream; text: string }[] {
  const file = fileURLToPath(new URL(`../../fixtures/agents/${cli}/${name}.log`, import.meta.url));
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const stream = line.startsWith('stderr ') ? 'stderr' : 'stdout';
      return { stream, text: line.slice(stream.length + 1) };
    });
}

export function readRecorded(
  provider: AgentProvider,
  name: string,
  exitCode: number,
): { readonly events: readonly AgentEvent[]; readonly summary: StreamSummary } {
  const reader = provider.reader();
  const events = recorded(provider.name, name).flatMap(({ stream, text }) => reader.read(stream, text));
  return { events, summary: reader.summary(exitCode, false) };
}
