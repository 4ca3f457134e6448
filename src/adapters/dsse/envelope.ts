/** DSSE envelopes (https://github.com/secure-systems-lab/dsse) with Ed25519. */
import { dsse } from '@sigstore/core';
import { sign, verify, type KeyObject } from 'node:crypto';
import { fieldsOf, recordIn } from '../../domain/base/is-record.js';
import { canonicalJson } from '../../domain/provenance/chain.js';
import {
  IN_TOTO_PAYLOAD,
  type OpenedEnvelope,
  type Signed,
  type Statement,
} from '../../domain/provenance/seal.js';
import { sha256 } from '../system/sha256.js';

/** SHA-256 of the public key's DER, in hex: how others name such keys, too. */
export function keyIdOf(publicKey: KeyObject): string {
  return sha256(publicKey.export({ type: 'spki', format: 'der' }));
}

export function signStatement(
  statement: Statement,
  { privateKey, keyId }: { readonly privateKey: KeyObject; readonly keyId: string },
): Signed {
  const payload = Buffer.from(canonicalJson(statement), 'utf8');
  const signature = sign(null, dsse.preAuthEncoding(IN_TOTO_PAYLOAD, payload), privateKey);
  const envelope = {
    payloadType: IN_TOTO_PAYLOAD,
    payload: payload.toString('base64'),
    signatures: [{ keyid: keyId, sig: signature.toString('base64') }],
  };
  return { keyId, envelope: JSON.stringify(envelope) };
}

/** What an envelope holds that one of the keys signed. Never throws. */
export function openEnvelope(text: string, keys: ReadonlyMap<string, KeyObject>): OpenedEnvelope {
  const envelope = recordIn(text);
  const signatures = envelope?.['signatures'];
  const first: unknown = Array.isArray(signatures) && signatures.length === 1 ? signatures[0] : undefined;
  const { payloadType, payload } = envelope ?? {};
  const { keyid, sig } = fieldsOf(first);
  const bytes = typeof payload === 'string' ? strictBase64(payload) : undefined;
  const signature = typeof sig === 'string' ? strictBase64(sig) : undefined;
  const statement = bytes === undefined ? undefined : statementIn(bytes);
  const problem = (what: string): OpenedEnvelope => ({
    kind: 'problem',
    problem: what,
    claims: statement ?? null,
  });
  if (bytes === undefined || signature === undefined || typeof keyid !== 'string')
    return problem('it is no envelope with one signature');
  if (payloadType !== IN_TOTO_PAYLOAD) return problem('it is no envelope of a statement');
  const key = keys.get(keyid);
  if (key === undefined)
    return problem(
      `none of the keys is ${keyid.slice(0, 64)}; bot-bottle provenance key --all prints those of the machine that signs`,
    );
  if (!verify(null, dsse.preAuthEncoding(IN_TOTO_PAYLOAD, bytes), key, signature))
    return problem('its signature is not of its content');
  return statement === undefined
    ? problem('it holds no statement')
    : { kind: 'opened', statement, keyId: keyid };
}

function statementIn(bytes: Buffer): Statement | undefined {
  const statement = recordIn(bytes.toString('utf8'));
  return Array.isArray(statement?.['subject']) ? (statement as unknown as Statement) : undefined;
}

/** One text for the same bytes: nothing is skipped over. */
function strictBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
