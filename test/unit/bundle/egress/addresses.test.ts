import assert from 'node:assert/strict';
import {
  checkedAddresses,
  globalOnly,
  operatorsOwn,
  RefusedAddressError,
} from '../../../../src/bundle/egress/addresses.js';

/** An address, whether an agent may name it, and whether the operator may. */
const ADDRESSES: readonly (readonly [address: string, agent: boolean, operator: boolean])[] = [
  ['1.1.1.1', true, true],
  ['2606:4700:4700::1111', true, true],
  ['10.1.2.3', false, true],
  ['100.64.0.1', false, true],
  ['fd00::1', false, true],
  ['127.0.0.1', false, false],
  ['::1', false, false],
  ['::ffff:127.0.0.1', false, false],
  ['0.0.0.0', false, false],
  // Where clouds hand out the machine's own credentials.
  ['169.254.169.254', false, false],
  ['168.63.129.16', false, false],
  ['100.100.100.200', false, false],
  ['192.0.0.192', false, false],
  ['fd00:ec2::254', false, false],
  ['fd00:ec2::23', false, false],
  ['fd20:ce::254', false, false],
  ['fd20:ce::253', false, true],
  ['fd00:c1::a9fe:a9fe', false, false],
  ['fd00:c1:0:0:0:0:A9FE:A9FE', false, false],
  ['fd00:100::100:200', false, false],
  ['fe80::1', false, false],
  ['224.0.0.1', false, false],
  ['255.255.255.255', false, false],
  ['127.1', false, false],
];

describe('which addresses are connected to', () => {
  for (const [address, agent, operator] of ADDRESSES)
    it(`${address}: ${agent ? '' : 'not '}when an agent names it, ${operator ? '' : 'not '}when the operator does`, () => {
      assert.deepEqual([globalOnly(address), operatorsOwn(address)], [agent, operator]);
    });

  it('are all of a name’s, or none', async () => {
    const answers = (...found: string[]) =>
      checkedAddresses('host', () => Promise.resolve(found), globalOnly);
    assert.deepEqual(await answers('1.1.1.1', '1.0.0.1'), ['1.1.1.1', '1.0.0.1']);
    await assert.rejects(answers('1.1.1.1', '10.0.0.1'), RefusedAddressError);
    await assert.rejects(answers(), /host has no address/);
  });
});
