import assert from 'node:assert/strict';
import fc from 'fast-check';
import { addressRange, type AddressRange } from '../../../../src/bundle/egress/address-range.js';

const TABLE: readonly (readonly [AddressRange, readonly string[]])[] = [
  [
    'global',
    [
      '1.1.1.1',
      '8.8.8.8',
      '100.63.255.255',
      '100.128.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.1.1',
      '223.255.255.255',
      '9.255.255.255',
      '11.0.0.0',
      '169.253.1.1',
      '198.17.0.1',
      '198.20.0.1',
    ],
  ],
  ['unspecified', ['0.0.0.0', '0.1.2.3', '::', '0:0:0:0:0:0:0:0', '::0.0.0.9', '::ffff:0.0.0.0']],
  [
    'loopback',
    [
      '127.0.0.1',
      '127.255.255.255',
      '::1',
      '0:0:0:0:0:0:0:1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::127.0.0.1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
      '2002:7f00:0001:1234::5',
    ],
  ],
  [
    'private',
    [
      '10.0.0.1',
      '10.255.255.255',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      'fc00::1',
      'fd12:3456::1',
      'fd00:ec2::253',
      'fec0::1',
      '::ffff:10.1.2.3',
      '::ffff:a01:203',
      '::ffff:0:10.1.2.3',
      '64:ff9b::192.168.1.1',
      '64:ff9b:1::8.8.8.8',
      '2002:c0a8:101::1',
    ],
  ],
  ['shared', ['100.64.0.1', '100.127.255.255', '::ffff:100.100.100.201']],
  [
    'link-local',
    [
      '169.254.169.254',
      '169.254.0.1',
      'fe80::1',
      'febf::1',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      '2002:a9fe:a9fe::1',
    ],
  ],
  [
    'metadata',
    [
      '168.63.129.16',
      '::ffff:168.63.129.16',
      '100.100.100.200',
      '::ffff:100.100.100.200',
      '64:ff9b::100.100.100.200',
      '192.0.0.192',
      '::ffff:192.0.0.192',
      'fd00:ec2::254',
      'fd00:ec2::23',
      'fd20:ce::254',
      'fd00:c1::a9fe:a9fe',
      'fd00:100::100:200',
      'fd00:0ec2:0:0:0:0:0:254',
    ],
  ],
  ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1']],
  ['broadcast', ['255.255.255.255']],
  [
    'reserved',
    [
      '192.0.0.1',
      '192.0.2.1',
      '192.88.99.1',
      '198.18.0.1',
      '198.19.255.255',
      '198.51.100.7',
      '203.0.113.9',
      '240.0.0.1',
      '255.255.255.254',
      '100::1',
      '2001:db8::1',
      '2001:0:808:808::f5ff:fffe',
      '2001:10::1',
      '2001:20::1',
      '2001:2::1',
      '3ffe::1',
      '3fff::1',
      '4000::1',
      '5f00::1',
      '1::1',
    ],
  ],
  [
    'global',
    [
      '2606:4700:4700::1111',
      '2001:4860:4860::8888',
      '2a00:1450:4001::1',
      '::ffff:8.8.8.8',
      '64:ff9b::8.8.8.8',
      '2002:808:808::1',
      '2001:200::1',
      '2a00:5efe:1:1::1',
    ],
  ],
  // Documentation address inside an ISATAP identifier of a global prefix, and a private one.
  ['private', ['2a00:1450::5efe:10.0.0.1', '2a00:1450::200:5efe:10.0.0.1', '2a00:1:2:3:0:5efe::']],
  [
    'no address',
    [
      '',
      'localhost',
      '1.2.3',
      '127.1',
      '0177.0.0.1',
      '0x7f.0.0.1',
      '2130706433',
      '1.2.3.4.5',
      '256.1.1.1',
      '01.2.3.4',
      ' 1.2.3.4',
      '1.2.3.4 ',
      'fe80::1%eth0',
      '::1%lo',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '12345::',
      '[::1]',
      '::ffff:1.2.3',
      '1.2.3.4::',
      'g::1',
      '::1/128',
    ],
  ],
];

describe('the kind of an address', () => {
  for (const [range, addresses] of TABLE)
    for (const address of addresses)
      it(`${JSON.stringify(address)} is ${range}`, () => {
        assert.equal(addressRange(address), range);
      });

  it('of an address that carries an IPv4 one is that of the IPv4 one', () => {
    fc.assert(
      fc.property(fc.ipV4(), (v4) => {
        const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number);
        const hex = ((a << 8) | b).toString(16) + ':' + ((c << 8) | d).toString(16);
        for (const carrier of [`::ffff:${v4}`, `::ffff:${hex}`, `64:ff9b::${v4}`, `2002:${hex}::1`])
          assert.equal(addressRange(carrier), addressRange(v4), carrier);
      }),
    );
  });
});
