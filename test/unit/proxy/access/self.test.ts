// A control plane of an older release ignores the fields in which a proxy reports its own state, and reads the rest of
// the message.
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import type { WatchRequest } from '../../../../proto/generated/gateway/v1/WatchRequest.ts';
import { contract, services } from '../../../../proto/load.ts';

/** The contract before proxies reported their own state. */
function olderContract(): protobuf.Root {
  const older = structuredClone(contract) as protobuf.INamespace;
  const root = protobuf.Root.fromJSON(older);
  for (const [message, fields] of [
    ['WatchStart', ['proxy', 'state']],
    ['WatchAsk', ['state']],
  ] as const) {
    const type = root.lookupType(`gateway.v1.${message}`);
    for (const name of fields) type.remove(type.fields[name] ?? absent(name));
  }
  return root;
}

function absent(name: string): never {
  throw new Error(`the contract has no field ${name}`);
}

const state = { redis: 'REDIS_STATE_FAILING', clockMs: 1_800_000_000_000 } as const;

describe('a watch message with the proxy’s own state', () => {
  it.each([
    [
      'start',
      { start: { maxStaleSeconds: 60, proxy: { version: '0.1.0', host: 'a' }, state } },
      { start: { maxStaleSeconds: 60 } },
    ],
    ['its periodic message', { ask: { nonce: 7, state } }, { ask: { nonce: '7' } }],
  ] as [string, WatchRequest, object][])(
    'is read by an older control plane without that state: %s',
    (_what, request, read) => {
      const bytes = services.Access.Watch.requestSerialize(request);
      const type = olderContract().lookupType('gateway.v1.WatchRequest');
      expect(type.toObject(type.decode(bytes), { longs: String })).toEqual(read);
    },
  );
});
