// What pi needs of the bottle, which has no MCP client: the sidecar's tools, by way of mcp-stdio.mjs, and where the model is.
//
//   BOTTLE_PI_PROVIDER   the provider in use, such as `anthropic`
//   BOTTLE_PI_URL        its address
//   BOTTLE_PI_MAX_OUTPUT the most tokens of output to ask for: the way to the model refuses more
//   BOTTLE_PI_TOOLS      `supervise` in a run without a forge, whose sidecar has no tools of one
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const SHIM = '/opt/bottle/mcp-stdio.mjs';
/** The sidecar's MCP servers, by their paths. */
const FORGE = '/mcp';
const SUPERVISE = '/supervise/mcp';
const PROTOCOL = '2025-11-25';

export default async function (pi) {
  const { BOTTLE_PI_PROVIDER: provider, BOTTLE_PI_URL: baseUrl, BOTTLE_PI_MAX_OUTPUT: max } = process.env;
  if (provider && baseUrl) pi.registerProvider(provider, { baseUrl });
  pi.on('before_provider_request', ({ payload }) => withinLimit(payload, Number(max)));
  const paths = process.env.BOTTLE_PI_TOOLS === 'supervise' ? [SUPERVISE] : [FORGE, SUPERVISE];
  await Promise.all(paths.map((path) => registerTools(pi, path)));
}

async function registerTools(pi, path) {
  const sidecar = new Sidecar(path);
  pi.on('session_shutdown', () => sidecar.end());
  await sidecar.ask('initialize', {
    protocolVersion: PROTOCOL,
    capabilities: {},
    clientInfo: { name: 'pi', version: '1' },
  });
  const { tools } = await sidecar.ask('tools/list', {});
  for (const { name, description, inputSchema } of tools) {
    pi.registerTool({
      name,
      label: name,
      description,
      parameters: inputSchema,
      async execute(_id, params) {
        const { content, isError } = await sidecar.ask('tools/call', { name, arguments: params });
        // Only what is thrown counts as failed.
        if (isError) throw new Error(content.map(({ text }) => text).join('\n'));
        return { content, details: undefined };
      },
    });
  }
}

/** In the words of both vendors. */
function withinLimit(payload, max) {
  if (payload?.max_output_tokens > max) return { ...payload, max_output_tokens: max };
  if (!(payload?.max_tokens > max)) return undefined;
  const { thinking } = payload;
  const less = thinking?.budget_tokens >= max ? { thinking: { ...thinking, budget_tokens: max - 1024 } } : {};
  return { ...payload, max_tokens: max, ...less };
}

/** One conversation with mcp-stdio.mjs, which lasts as long as pi. */
class Sidecar {
  #child;
  #waiting = new Map();
  #id = 0;

  constructor(path) {
    this.#child = spawn(process.execPath, [SHIM, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(JSON.parse(line)));
    this.#child.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the way to the helper has ended'));
    });
    this.#child.stdin.on('error', () => undefined);
  }

  ask(method, params) {
    this.#id += 1;
    const id = this.#id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  end() {
    this.#child.stdin.end();
  }

  #take({ id, result, error }) {
    const asked = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error.message));
  }
}
