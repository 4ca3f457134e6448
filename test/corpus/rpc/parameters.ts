import { FORGE_METHODS } from '../../../src/bundle/forge/methods.js';
import { call, error, mcpBody, rpcBody, type RpcCase } from './rpc-case.js';

const BAD_PARAMS = -32602;
/** JSON, of which none is a number of the forge, a text or a choice. */
const WRONG = [
  'null',
  'true',
  '[]',
  '{}',
  '["1"]',
  '{"toString":"1"}',
  '0',
  '-1',
  '1.5',
  '1e999',
  '9007199254740993',
  '[1]',
  '{"number":1}',
];
const NO_NUMBER = [...WRONG, '"1"', '"1/../2"', '" 1"', '"1\\u0000"', '"0x1"', '"１"', '""'];
/** `signal_done` may be called ten times a minute, and one is for the run's own. */
const FEW = ['null', '["success"]', '{"toString":"success"}'];

interface Property {
  readonly type: string;
}

const GOOD: Readonly<Record<string, string>> = {
  number: '1',
  body: '"x"',
  title: '"x"',
  status: '"success"',
};

/** A batch for each parameter of each method: the others are good, it never is. */
function wrongTypes(): RpcCase[] {
  return FORGE_METHODS.flatMap(({ name, inputSchema }) => {
    const properties = Object.entries(inputSchema['properties'] as Readonly<Record<string, Property>>);
    return properties.map(([wrong, { type }]) => {
      const values = name === 'signal_done' ? FEW : type === 'integer' ? NO_NUMBER : WRONG;
      const calls = values.map((value, id) => {
        const params = properties.map(
          ([each]) => `"${each}":${each === wrong ? value : (GOOD[each] ?? '""')}`,
        );
        return call(name, `{${params.join()}}`, String(id));
      });
      return rpcBody(
        `${name} with a ${wrong} of every wrong type`,
        error(BAD_PARAMS),
        () => `[${calls.join()}]`,
      );
    });
  });
}

/** Every method as a tool whose arguments are all a list. */
function wrongArguments(): RpcCase[] {
  return FORGE_METHODS.map(({ name, inputSchema }) => {
    const names = Object.keys(inputSchema['properties'] as Readonly<Record<string, Property>>);
    const args = names.map((each) => `"${each}":[1]`).join();
    return mcpBody(`${name} with lists for arguments`, /^HTTP\/1\.1 200 [^]*must be [^]*"isError":true/, () =>
      call('tools/call', `{"name":"${name}","arguments":{${args}}}`),
    );
  });
}

/** Wrong types for every parameter of every method, on both protocols. */
export const PARAMETERS: readonly RpcCase[] = [...wrongTypes(), ...wrongArguments()];
