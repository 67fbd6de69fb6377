// Sends every request of the corpus to every vendor: the gateway refuses it with a reason, or the vendor receives all
// of its texts.
import { describe, expect, it } from 'vitest';
import { isObject } from '../../common/json.ts';
import { vendorNames } from '../../common/vendors.ts';
import { GatewayError } from '../../proxy/errors.ts';
import { png } from '../support/png.ts';
import { builtFor } from './build.ts';
import { corpusRequests, type Json } from './requests.ts';

it('the corpus has at least 250 requests with unique names', () => {
  expect(new Set(corpusRequests.map(({ name }) => name)).size).toBe(corpusRequests.length);
  expect(corpusRequests.length).toBeGreaterThanOrEqual(250);
});

describe.each(vendorNames)('a request to %s is refused or sent with all its texts', (vendor) => {
  it.each(corpusRequests.map((one) => [one.name, one] as const))('%s', async (_name, { body }) => {
    let sent: string;
    try {
      sent = (await builtFor(vendor, body)).body;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      expect(error.code, error.message).toBe('unsupported_parameter');
      expect(error.param, error.message).toEqual(expect.any(String));
      return;
    }
    const strings = stringsOf(JSON.parse(sent)).flatMap((one) => [flat(one), one.replaceAll(/\s/g, '')]);
    const lost = textsIn(body).filter((stated) => !stated.some((form) => strings.some((one) => one.includes(form))));
    expect(lost).toEqual([]);
  });
});

/** The texts and media for the model, each in every form that it may have in the vendor's request. */
function textsIn({ messages, tools = [], functions = [], tool_choice }: Json): string[][] {
  const spoken = listed(messages).flatMap(({ content, refusal, tool_calls, images }) => [
    ...(typeof content === 'string' ? [[content]] : listed(content).map(formsOf)),
    ...(typeof refusal === 'string' ? [[refusal]] : []),
    ...listed(images).map(formsOf),
    ...listed(tool_calls).map((call) => [String((call.function as Json).name)]),
  ]);
  const offered = [...listed(tools).map((tool) => tool.function as Json), ...listed(functions)];
  // Tools that may not be called need not be sent.
  const isFree = tool_choice !== 'none' && !isObject(tool_choice);
  const named = isFree ? offered.map(({ name }) => [String(name)]) : [];
  return [...spoken, ...named].map((forms) => forms.map(flat)).filter(([one]) => one !== '');
}

function formsOf(part: Json): string[] {
  if (typeof part.text === 'string') return [part.text];
  const [inner] = Object.values(part).filter(isObject) as Json[];
  const data = [inner?.url, inner?.data, inner?.file_data].find((one) => typeof one === 'string') ?? '';
  // The gateway may have fetched it.
  if (/^https:/.test(String(data))) return [String(data), png];
  const base64 = String(data)
    .replace(/^data:[^,]*,/, '')
    .replaceAll(/\s/g, '')
    .replace(/=+$/, '');
  // Text files are sent as text to vendors that take text there.
  return [base64, Buffer.from(base64, 'base64').toString().trim()];
}

function flat(text: string): string {
  return text.trim();
}

function listed(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsOf);
}
