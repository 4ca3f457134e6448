/** Anthropic's Messages API, as its public reference has it: platform.claude.com/docs, "Streaming messages". */
import { USAGE, type Dialect, type StreamEvent } from './dialect.js';
import { toolNamed, type ModelRequest } from './model-request.js';
import type { Answer, JsonObject } from './script.js';

export const anthropicMessages: Dialect = {
  path: '/v1/messages',
  events: (answer, request, call) => {
    const { content, ...message } = messageOf(answer, request, call);
    const { stop_reason, usage } = message;
    return [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'ping' },
      ...content.flatMap(blockEvents),
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
  },
  whole: messageOf,
  errorEvent: (type, message) => ({ type: 'error', error: { type, message } }),
};

interface Message extends JsonObject {
  readonly content: readonly Block[];
  readonly stop_reason: string;
  readonly usage: JsonObject;
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: JsonObject };

function messageOf(answer: Answer, request: ModelRequest, call: number): Message {
  const { thinking, text, tools = [] } = answer;
  const usage = { ...USAGE, ...answer.usage };
  const id = String(call).padStart(6, '0');
  return {
    id: `msg_stub${id}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: [
      ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: 'c3R1Yg==' } as const]),
      ...(text === undefined ? [] : [{ type: 'text', text } as const]),
      ...tools.map(({ name, input }, index) => {
        if (typeof input === 'string') throw new Error(`${name}: this API has no tools that take a text`);
        const tool = toolNamed(request, name).name;
        return { type: 'tool_use', id: `toolu_stub${id}x${String(index)}`, name: tool, input } as const;
      }),
    ],
    stop_reason: tools.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: usage.input,
      cache_read_input_tokens: usage.cacheRead,
      cache_creation_input_tokens: usage.cacheWrite,
      output_tokens: usage.output,
    },
  };
}

function blockEvents(block: Block, index: number): StreamEvent[] {
  const delta = (value: JsonObject): StreamEvent => ({ type: 'content_block_delta', index, delta: value });
  const between = (start: JsonObject, ...deltas: readonly StreamEvent[]): StreamEvent[] => [
    { type: 'content_block_start', index, content_block: start },
    ...deltas,
    { type: 'content_block_stop', index },
  ];
  switch (block.type) {
    case 'text':
      return between(
        { ...block, text: '' },
        ...halves(block.text).map((text) => delta({ type: 'text_delta', text })),
      );
    case 'thinking':
      return between(
        { ...block, thinking: '', signature: '' },
        delta({ type: 'thinking_delta', thinking: block.thinking }),
        delta({ type: 'signature_delta', signature: block.signature }),
      );
    case 'tool_use':
      return between(
        { ...block, input: {} },
        ...halves(JSON.stringify(block.input)).map((part) =>
          delta({ type: 'input_json_delta', partial_json: part }),
        ),
      );
  }
}

/** In two parts, as an answer comes in many. */
function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return text.length < 2 ? [text] : [text.slice(0, middle), text.slice(middle)];
}
