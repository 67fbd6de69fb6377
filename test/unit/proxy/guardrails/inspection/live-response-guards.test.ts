// The guards that check the texts of a stream.
import { describe, expect, it } from 'vitest';
import type { Guardrail } from '../../../../../guardrails/definition.ts';
import { BlockedError, guardText } from '../../../../../guardrails/window.ts';
import type { ResponseGuards } from '../../../../../proxy/guardrails/response-guards.ts';
import { guardStrings } from '../../../../../proxy/guardrails/response-guards.ts';
import { callWith, openInspecting, phrasesGuardrail } from '../../../../support/guarded-requests.ts';
import { ParsedStream } from '../../../../support/guarded-streams.ts';

const named = (name: string, words: readonly string[], fields: Partial<Guardrail> = {}) =>
  phrasesGuardrail(words, { id: name, name, stage: 'output', ...fields });

async function openGuards(...guardrails: readonly Guardrail[]) {
  let guards: ResponseGuards | undefined;
  const inspecting = openInspecting({
    guardStream: (source, parsed) => {
      guards = parsed;
      return Promise.resolve(source);
    },
  });
  const { output } = await inspecting.inspect(callWith(guardrails, {}));
  await output?.guard(new ParsedStream());
  if (guards === undefined) throw new Error('no stream was guarded');
  return { guards, decisions: inspecting.decisions };
}

describe('guards of a response', () => {
  it('replace matches, with numbers that begin again for each text', async () => {
    const { guards } = await openGuards(named('a', ['ONE', 'TWO'], { action: 'redact' }));
    expect(guardText(guards.guards(), 'ONE TWO')).toBe('[WORD_1] [WORD_2]');
    expect(guardText(guards.guards(), 'TWO')).toBe('[WORD_1]');
    const calling = (args: string) => ({
      choices: [{ delta: { tool_calls: [{ function: { arguments: args } }] } }],
    });
    const guarded = guardStrings(calling('{"a":"TWO","b":["ONE","TWO"]}'), (form) => guards.guards(form));
    expect(guarded).toEqual(calling('{"a":"[WORD_1]","b":["[WORD_2]","[WORD_1]"]}'));
  });

  it('count their decisions at the end, once for each guardrail', async () => {
    const { guards, decisions } = await openGuards(
      named('quiet', ['NOTHING']),
      named('watching', ['ONE'], { action: 'observe' }),
      named('replacing', ['ONE'], { action: 'redact' }),
    );
    for (let i = 0; i < 3; i++) guardText(guards.guards(), 'ONE');
    expect(decisions).toEqual([]);
    guards.ended();
    expect(decisions).toEqual(['quiet output pass', 'watching output observe', 'replacing output redact']);
  });

  it('block, and the error names the guardrail that blocked', async () => {
    const { guards, decisions } = await openGuards(named('a', ['NOTHING']), named('b', ['ONE']));
    const error = blockedBy(() => guardText(guards.guards(), 'ONE'));
    expect(guards.refusal(error)).toMatchObject({
      code: 'guardrail_blocked',
      message: 'blocked by the guardrail b',
    });
    expect(decisions).toEqual(['b output block']);
  });

  it('block when a match is in a text that cannot be replaced', async () => {
    const { guards, decisions } = await openGuards(named('a', ['ONE'], { action: 'redact' }));
    guards.refusal(blockedBy(() => guardText(guards.guards('fixed'), 'ONE')));
    expect(decisions).toEqual(['a output block']);
  });

  it('block by their failure rule when their check throws', async () => {
    const { guards, decisions } = await openGuards(named('a', ['!'], { action: 'redact' }));
    guards.refusal(blockedBy(() => guardText(guards.guards(), 'x')));
    expect(decisions).toEqual(['a output failed_block']);
  });

  it('pass by their failure rule when their check throws, are not called again, and leave the others to decide', async () => {
    const failing = named('a', ['!'], { onFailure: 'pass' });
    const { guards, decisions } = await openGuards(failing, named('b', ['ONE'], { action: 'redact' }));
    expect(guardText(guards.guards(), 'ONE')).toBe('[WORD_1]');
    expect(guardText(guards.guards(), 'ONE')).toBe('[WORD_1]');
    guards.ended();
    expect(decisions).toEqual(['a output failed_pass', 'b output redact']);
  });

  it('apply their failure rule to a text that is too long, and are counted once', async () => {
    const passing = await openGuards(named('a', ['ONE'], { onFailure: 'pass' }));
    passing.guards.tooLong();
    passing.guards.ended();
    expect(passing.decisions).toEqual(['a output failed_pass']);
    const { guards } = await openGuards(named('a', ['ONE']));
    expect(() => guards.tooLong()).toThrow('blocked by the guardrail a');
  });
});

function blockedBy(act: () => unknown): BlockedError {
  try {
    act();
  } catch (error) {
    if (error instanceof BlockedError) return error;
  }
  throw new Error('nothing was blocked');
}
