// Which requests of a route with hedging may go to two targets at a time.
import { describe, expect, it } from 'vitest';
import type { RouteGroup } from '../../../../proxy/access/routes.ts';
import { issuerOf, wrapOpaque } from '../../../../proxy/conversation/opaque.ts';
import { call, claude, gpt, group, target } from './routed-call.fixture.ts';

describe('a second target at the same time', () => {
  const settings = { hedge: { afterMs: 100 } };
  const [first, second] = [group([target(gpt)]), group([target(claude)])];
  const hedgeOf = (fields: object, groups: readonly RouteGroup[] = [first, second]) =>
    call({ groups: { fast: groups }, settings, fields }).route?.hedge;

  it('is for requests that any target may serve', () => {
    expect(hedgeOf({})).toEqual({ afterMs: 100 });
    const tools = [{ type: 'function', function: { name: 'weather' } }];
    expect(hedgeOf({ tools, n: 1, store: false })).toEqual({ afterMs: 100 });
  });

  it.each<[string, object]>([
    ['with several choices', { n: 2 }],
    ['whose response is stored', { store: true }],
    ['with a tool of the vendor', { web_search_options: {} }],
  ])('is not for a request %s', (_name, fields) => {
    expect(hedgeOf(fields)).toBeUndefined();
  });

  it('is not for a large request', () => {
    expect(call({ groups: { fast: [first, second] }, settings, isLarge: true }).route?.hedge).toBeUndefined();
  });

  it('is not for a sticky group in front, but for one behind', () => {
    const sticky: RouteGroup = { ...first, choice: 'sticky' };
    expect(hedgeOf({}, [sticky, second])).toBeUndefined();
    expect(hedgeOf({}, [second, sticky])).toEqual({ afterMs: 100 });
  });

  it('is not for a conversation with reasoning that one account can read', () => {
    const issuer = issuerOf('assistant-provider', 'a');
    const signature = wrapOpaque({ issuer, kind: 'signature', value: 'signed' });
    const thought = [{ type: 'thinking', thinking: 'Hm.', signature }];
    const turn = { role: 'assistant', content: 'Hello', thinking_blocks: thought };
    expect(hedgeOf({ messages: [turn, { role: 'user', content: 'And?' }] })).toBeUndefined();
  });
});
