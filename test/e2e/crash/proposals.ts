import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bottleScript } from '../../support/stack/bottle-script.js';
import { proposed } from '../../support/stack/proposed.js';
import { waitUntil } from '../../support/stack/stack.js';
import { allGone, partOf } from '../../support/stack/processes.js';
import { messagesStack } from './stack.js';

/** What an agent does that wants a host: asks, and asks again for as long as its sidecar is away. */
function ask(host: string): string {
  const program = `
    const file = require("fs").readFileSync("/etc/bot-bottle/current-config/allowlist", "utf8");
    const current_file_hash = require("crypto").createHash("sha256").update(file).digest("hex");
    const args = { proposed_file: file + process.argv[1] + "\\n", justification: "To be seen.", current_file_hash };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pipelock-block", arguments: args } });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const again = () => setTimeout(go, 300);
    function go() {
      const call = require("http").request({ socketPath: "/run/bottle/sock/forge.sock", path: "/supervise/mcp", method: "POST", headers });
      call.on("error", again).on("response", (answer) => {
        let text = "";
        answer.on("data", (part) => (text += part)).on("error", again);
        answer.on("end", () => (text.includes("status") ? console.log("ANSWER", process.argv[1], text) : again()));
      });
      call.end(body);
    }
    go();`;
  return `run node -e '${program.replaceAll(/\s*\n\s*/g, ' ').trim()}' ${host}`;
}

/** By then the command has read the proposal and sends its word, or is about to. */
const LOADED_MS = 500;

describe('parts that are killed while a proposal waits', function () {
  this.timeout(300_000);
  const { stack, open } = messagesStack();

  const waiting = async (host: string): Promise<string> => {
    const { id } = await proposed(stack(), `of ${host}`, ({ changes }) =>
      changes.includes(`may connect to ${host}`),
    );
    return id;
  };

  /** As an operator does who is told that something is away: until it is said to be approved. */
  async function approved(id: string): Promise<void> {
    await waitUntil(
      `the approval of ${id}`,
      async () => {
        const { code, stdout, stderr } = await stack().cli(['proposals', 'approve', id]);
        return code === 0 || /it was approved (already, )?by/.test(stdout + stderr);
      },
      90_000,
    );
  }

  it('lose neither the proposal nor the decision, and the agent has its answer each time', async () => {
    const parts = ['up', 'worker', 'temporal', 'sidecar', 'deciding-worker', 'deciding-command'];
    const hosts = parts.map((part) => `${part}.example.org`);
    const script = bottleScript(...hosts.map(ask), 'done success asked');
    const life = await open('Ask for six hosts', script);
    const { slug } = await life.running();
    const answer = async (host: string): Promise<void> => {
      const pattern = new RegExp(`ANSWER ${host}.{0,2000}approved`);
      await waitUntil(
        `the answer of ${host}`,
        async () => pattern.test(await life.files.agentLog(slug, 1)),
        60_000,
      );
      const allowed = await readFile(join(stack().home, 'state', slug, 'config/allowlist'), 'utf8');
      assert.ok(allowed.split('\n').includes(host), `${host} is in effect`);
    };
    const [ofUp = '', ofWorker = '', ofTemporal = '', ofSidecar = '', inWorker = '', inCommand = ''] = hosts;

    const first = await waiting(ofUp);
    await stack().stopUp('SIGKILL');
    await allGone(stack().home);
    await stack().start();
    await approved(first);
    await answer(ofUp);

    for (const [host, part] of [
      [ofWorker, 'worker'],
      [ofTemporal, 'temporal'],
    ] as const) {
      const id = await waiting(host);
      process.kill(await partOf(stack(), part), 'SIGKILL');
      await approved(id);
      await answer(host);
    }

    const asked = await waiting(ofSidecar);
    await life.killContainer(slug, 'bundle');
    await approved(asked);
    await answer(ofSidecar);

    // While the operator's word is on its way.
    const begun = await waiting(inWorker);
    const approving = stack().cli(['proposals', 'approve', begun]);
    await delay(LOADED_MS);
    process.kill(await partOf(stack(), 'worker'), 'SIGKILL');
    await approving;
    await approved(begun);
    await answer(inWorker);

    const given = await waiting(inCommand);
    const command = stack().service(['proposals', 'approve', given]);
    await delay(LOADED_MS);
    command.kill('SIGKILL');
    await approved(given);
    await answer(inCommand);

    await life.frozen(1, 'done');
    assert.equal(await life.files.invocations(slug, 1), 1);
    const audit = await readFile(join(stack().home, 'audit', `pipelock-${slug}.log`), 'utf8');
    const added = audit
      .trim()
      .split('\n')
      .map((line) => /\+([\w-]+\.example\.org)/.exec(line)?.[1]);
    assert.deepEqual(added, hosts, 'one line for each decision, in order');
    assert.deepEqual(await readdir(join(stack().home, 'queue', slug)).catch(() => []), []);
  });
});
