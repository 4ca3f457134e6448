/** OpenAI's Responses API, as its public reference has it: platform.openai.com/docs, "Streaming events". */
import { USAGE, type Dialect, type StreamEvent } from './dialect.js';
import { toolNamed, type ModelRequest } from './model-request.js';
import type { Answer, JsonObject } from './script.js';

export const openaiResponses: Dialect = {
  path: '/v1/responses',
  events: (answer, request, call) => {
    const response = responseOf(answer, request, call);
    const begun = { ...response, status: 'in_progress', output: [], usage: null };
    return [
      { type: 'response.created', response: begun },
      { type: 'response.in_progress', response: begun },
      ...response.output.flatMap(itemEvents),
      { type: 'response.completed', response },
    ].map((event, index) => ({ ...event, sequence_number: index }));
  },
  whole: responseOf,
  errorEvent: (code, message) => ({
    type: 'response.failed',
    response: { id: 'resp_stub', object: 'response', status: 'failed', error: { code, message } },
  }),
};

/** A type of tool without a name: the client looks for the tools that it has not told the model of. */
const TOOL_SEARCH = 'tool_search';

interface Response extends JsonObject {
  readonly output: readonly Item[];
}

type Item = JsonObject & { readonly id: string; readonly type: string; readonly text?: string };

function responseOf(answer: Answer, request: ModelRequest, call: number): Response {
  const id = String(call).padStart(6, '0');
  const usage = { ...USAGE, ...answer.usage };
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    id: `resp_stub${id}`,
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: request.model,
    error: null,
    output: itemsOf(answer, request, id),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: usage.cacheRead },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + usage.output,
    },
  };
}

function itemsOf({ thinking, text, tools = [] }: Answer, request: ModelRequest, id: string): Item[] {
  return [
    ...(thinking === undefined
      ? []
      : [{ id: `rs_${id}`, type: 'reasoning', summary: [{ type: 'summary_text', text: thinking }] }]),
    ...(text === undefined
      ? []
      : [
          {
            id: `msg_${id}`,
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...tools.map(({ name, input }, index) => {
      const { name: tool, namespace } = toolNamed(request, name);
      const call = {
        id: `fc_${id}x${String(index)}`,
        call_id: `call_${id}x${String(index)}`,
        name: tool,
        status: 'completed',
        ...(namespace === null ? {} : { namespace }),
      };
      if (tool === TOOL_SEARCH)
        return { ...call, type: 'tool_search_call', execution: 'client', arguments: input };
      return typeof input === 'string'
        ? { ...call, type: 'custom_tool_call', input }
        : { ...call, type: 'function_call', arguments: JSON.stringify(input) };
    }),
  ];
}

function itemEvents(item: Item, index: number): StreamEvent[] {
  const { id: item_id, content } = item;
  const place = { item_id, output_index: index, content_index: 0 };
  const [part] = Array.isArray(content) ? (content as { text: string }[]) : [];
  const begun = { ...item, status: 'in_progress', ...(part === undefined ? {} : { content: [] }) };
  return [
    { type: 'response.output_item.added', output_index: index, item: begun },
    ...(part === undefined
      ? []
      : [
          { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
          { type: 'response.output_text.delta', ...place, delta: part.text },
          { type: 'response.output_text.done', ...place, text: part.text },
          { type: 'response.content_part.done', ...place, part },
        ]),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}
