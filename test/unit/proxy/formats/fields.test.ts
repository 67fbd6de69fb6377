import { describe, expect, it } from 'vitest';
import { CapabilityTable } from '../../../../proxy/catalog/capabilities.ts';
import { chatFields, extensionFields, isShaping } from '../../../../proxy/conversation/fields.ts';
import { optionsOf } from '../../../../proxy/conversation/request.ts';
import { FieldRules, type FieldTable } from '../../../../proxy/formats/fields.ts';

const context = { capabilities: new CapabilityTable().of('assistant-provider', 'm') };

/** The table of a format that maps only these fields. */
function tableOf(mapped: readonly string[]) {
  const rowOf = (name: string) => {
    if (mapped.includes(name)) return { path: name };
    return isShaping(name) ? 'refused' : 'dropped';
  };
  const rows = [...chatFields, ...extensionFields].map((name) => [name, rowOf(name)] as const);
  return Object.fromEntries(rows) as FieldTable<{ readonly path: string }>;
}

function drop(body: object, mapped: readonly string[] = []) {
  const request = { options: optionsOf({ ...body }), namesSpeakers: () => false };
  return new FieldRules(tableOf(mapped)).dropped(request, context);
}

describe('fields that a vendor does not get', () => {
  it.each([
    ['are named in the order of the body', { seed: 1, user: 'u', logit_bias: {} }, ['seed', 'user', 'logit_bias']],
    ['do not include mapped fields', { seed: 1, stop: 'x' }, ['seed'], ['stop']],
    ['do not include fields of the gateway', { model: 'm', messages: [], stream: true, stream_options: {} }, []],
    ['do not include fields that are null', { seed: null, n: null }, []],
    ['include unknown fields', { frobnicate: true }, ['frobnicate']],
    ['include names that every object has', { constructor: 1, hasOwnProperty: 1 }, ['constructor', 'hasOwnProperty']],
    [
      'do not include fields with their default value',
      { n: 1, logprobs: false, top_logprobs: 0, modalities: ['text'] },
      [],
    ],
  ])('the reported fields %s', (_what, body, expected, mapped = []) => {
    expect(drop(body, mapped)).toEqual(expected);
  });

  it.each([
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ top_logprobs: 3 }, 'top_logprobs'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ modalities: 'text' }, 'modalities'],
    [{ audio: { voice: 'v' } }, 'audio'],
  ])('are refused when the response would be misread: %j', (body, param) => {
    expect(() => drop(body)).toThrow(expect.objectContaining({ code: 'unsupported_parameter', param }));
    expect(drop(body, [param])).toEqual([]);
  });
});
