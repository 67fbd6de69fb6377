// Checks the keys of signed records: whether every proxy trusts the key with which every replica signs. Pure.
import type { Watcher__Output as Watcher } from '../../proto/generated/gateway/v1/Watcher.ts';
import { type Finding, failed, listed, ok, skipped, warning } from './finding.ts';
import { hasResponded, type ProbeResult } from './probe.ts';
import { nameOf } from './watching-proxies.ts';

export function checkRecordKeys(results: readonly ProbeResult[]): Finding {
  const responses = results.filter(hasResponded).map(({ status }) => status);
  const signing = [...new Set(responses.flatMap(({ recordKey }) => recordKey ?? []))];
  if (signing.length === 0)
    return skipped('record keys', 'the control plane does not sign records: its release is too old');
  const watchers = responses.flatMap(({ watchers: list }) => list?.watchers ?? []);
  const given = watchers.filter(({ recordKeys }) => recordKeys?.fromControlPlane === false);
  const believing = (key: string) => (watcher: Watcher) => watcher.recordKeys?.ids.includes(key) === true;
  for (const key of signing) {
    const without = given.filter((watcher) => !believing(key)(watcher)).map(nameOf);
    if (without.length > 0)
      return failed(
        'record keys',
        `records are signed with ${key}, and these proxies do not know it: ${listed(without)}`,
        'add its public key to GATEWAY_RECORD_KEYS of the proxies (`control-plane record-public-key` prints it), or put the old private key back; they let in no key that they have not yet in memory',
      );
  }
  if (signing.length > 1)
    return warning(
      'record keys',
      `replicas sign with several: ${listed(signing)}`,
      'give all replicas the same GATEWAY_RECORD_SIGNING_KEY, or finish the rotation',
    );
  const says = `records are signed with ${signing[0]}`;
  const learning = watchers.filter(({ recordKeys }) => recordKeys?.fromControlPlane === true).map(nameOf);
  if (learning.length > 0)
    return ok(
      'record keys',
      `${says}; these proxies have no GATEWAY_RECORD_KEYS, so one that starts without the control plane serves nothing from Redis: ${listed(learning)}`,
    );
  return ok('record keys', given.length > 0 ? `${says}, which ${listed(given.map(nameOf))} know` : says);
}
