// State that proxies report about themselves, as the control plane keeps it. Their texts are untrusted.
import { describe, expect, it } from 'vitest';
import { createWatchers, type Watchers } from '../../../../control-plane/changes/watchers.ts';
import type { ProxyCaller } from '../../../../control-plane/rpc/caller.ts';
import type { ProxyState__Output } from '../../../../proto/generated/gateway/v1/ProxyState.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const caller = (id: string): ProxyCaller => ({
  ...{ kind: 'proxy', id, organizationId: undefined, from: '192.0.2.1' },
});
const only = (watchers: Watchers) => watchers.list()[0];

describe('watchers of the change feed', () => {
  it('are listed by identity and host while they are connected', () => {
    const watchers = createWatchers(new VirtualTime());
    const entries = ['b', 'a', 'b'].map((id, i) => {
      const entry = watchers.came(caller(id));
      entry.program({ version: '0.1.0', host: `host-${9 - i}` });
      return entry;
    });
    const names = () => watchers.list().map((watcher) => `${watcher.caller.id} ${watcher.host}`);
    expect(names()).toEqual(['a host-8', 'b host-7', 'b host-9']);
    entries[2]?.gone();
    expect(names()).toEqual(['a host-8', 'b host-9']);
    entries[2]?.gone();
    // A late report does not bring a closed watcher back.
    entries[2]?.requested();
    expect(names()).toHaveLength(2);
  });

  it.each([
    ['of the longest version', '1'.repeat(64), '1'.repeat(64)],
    ['of a version that is too long', '1'.repeat(65), undefined],
    ['that is empty', '', undefined],
    ['with a space', '0.1.0 beta', undefined],
    ['that contains a terminal escape', '\u001b[2J', undefined],
    ['beyond ASCII', '0.1.0é', undefined],
  ])('keep or drop a version text %s', (_what, version, kept) => {
    const watchers = createWatchers(new VirtualTime());
    watchers.came(caller('a')).program({ version, host: 'h'.repeat(253) });
    expect(only(watchers)).toMatchObject({ version: kept, host: 'h'.repeat(253) });
    watchers.came(caller('0')).program({ version: '1', host: 'h'.repeat(254) });
    expect(only(watchers)?.host).toBeUndefined();
  });

  it('store an unknown enum value as unspecified', () => {
    const watchers = createWatchers(new VirtualTime());
    // The library decodes a value outside the enum like this.
    const newer = JSON.parse('{"redis":7}') as ProxyState__Output;
    watchers.came(caller('a')).state(newer);
    expect(only(watchers)?.redis).toBe('REDIS_STATE_UNSPECIFIED');
  });

  it('keep the last state when a request reports none', () => {
    const time = new VirtualTime();
    const watchers = createWatchers(time);
    const entry = watchers.came(caller('a'));
    entry.state({ redis: 'REDIS_STATE_OK', clockMs: String(time.now() + 250) });
    entry.state(undefined);
    entry.requested();
    expect(only(watchers)).toMatchObject({
      redis: 'REDIS_STATE_OK',
      clockAheadMs: 250,
      requestedAt: time.now(),
    });
  });
});
