/** The dashboard's components: they draw lines that are ready, and hand keys on. */
import { Box, Text, useInput, type TextProps } from 'ink';
import { createElement, useSyncExternalStore, type ReactElement } from 'react';
import type { Line, Look } from '../model/line.js';
import type { Key, State } from '../model/state.js';
import { frameOf, type Pane } from './frame.js';
import { keyOfInput } from './key-of-input.js';

export interface DashboardProps {
  /** The same function each time. */
  readonly subscribe: (changed: () => void) => () => void;
  readonly state: () => State;
  readonly press: (key: Key) => void;
  readonly colors: boolean;
}

export function Dashboard({ subscribe, state, press, colors }: DashboardProps): ReactElement {
  const frame = frameOf(useSyncExternalStore(subscribe, state));
  useInput((input, key) => {
    const pressed = keyOfInput(input, key);
    if (pressed !== undefined) press(pressed);
  });
  if (typeof frame === 'string') return createElement(Text, null, frame);
  const { title, panes, said, keys } = frame;
  return createElement(
    Box,
    { flexDirection: 'column' },
    createElement(Row, { line: title, colors }),
    createElement(
      Box,
      null,
      panes.map((pane, index) => createElement(Column, { key: index, ...pane, colors })),
    ),
    createElement(Row, { line: said, colors }),
    createElement(Row, { line: keys, colors }),
  );
}

function Column({ columns, lines, colors }: Pane & { readonly colors: boolean }): ReactElement {
  return createElement(
    Box,
    { flexDirection: 'column', width: columns, flexShrink: 0 },
    lines.map((line, index) => createElement(Row, { key: index, line, colors })),
  );
}

interface RowProps {
  readonly line: Line;
  readonly colors: boolean;
}

/** One line of the terminal, whatever it holds: an empty one would have no height. */
function Row({ line, colors }: RowProps): ReactElement {
  const isEmpty = line.every(({ text }) => text === '');
  const spans = isEmpty ? [{ text: ' ', look: 'plain' as const }] : line;
  return createElement(
    Text,
    { wrap: 'truncate' },
    spans.map(({ text, look }, index) =>
      createElement(Text, { key: index, ...(colors ? STYLES[look] : {}) }, text),
    ),
  );
}

const STYLES: Readonly<Record<Look, TextProps>> = {
  plain: {},
  strong: { bold: true },
  faint: { dimColor: true },
  added: { color: 'green' },
  removed: { color: 'red' },
  place: { color: 'cyan' },
  alarm: { color: 'yellow' },
  chosen: { inverse: true },
};
