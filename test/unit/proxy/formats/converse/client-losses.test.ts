// What a vendor of another format does not get of a request of Converse is named or refused. test/losses/ has every
// field of the SDK's types; here are those that depend on where they are.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { clientFormats } from '../../../../../proxy/client-formats.ts';

const { translation: converse } = clientFormats.converse;
const read = (fields: JsonObject) => {
  const messages = [{ role: 'user', content: [{ text: 'Hello' }] }];
  const found = converse?.readRequest({ messages, ...fields }, { model: 'm', stream: false });
  if (found === undefined) throw new Error('the format is translated');
  return found;
};
const turn = (role: string, ...content: readonly JsonObject[]) => ({ messages: [{ role, content }] });
const own = (fields: JsonObject) => ({ additionalModelRequestFields: fields });

const cachePoint = { cachePoint: { type: 'default' } };
const image = { format: 'png', source: { bytes: 'AAAA' } };
const audio = { format: 'wav', source: { bytes: 'AAAA' } };
const pdf = { format: 'pdf', name: 'N', source: { bytes: 'AAAA' } };
const found = { title: 'a', source: 'b', content: [{ text: 'c' }] };
const spec = { name: 'f', inputSchema: { json: {} }, description: 'F', strict: true };
const result = (part: JsonObject) => ({ toolResult: { toolUseId: 't', content: [part] } });

const dropped: readonly (readonly [string, JsonObject])[] = [
  ['messages.content.cachePoint', turn('user', cachePoint, { text: 'a' })],
  ['messages.content.cachePoint', turn('assistant', { reasoningContent: {} }, cachePoint, { text: 'a' })],
  ['system.cachePoint', { system: [cachePoint, { text: 'a' }] }],
  ['messages.content.toolResult.content.cachePoint', turn('user', result(cachePoint))],
  ['toolConfig.tools.cachePoint', { toolConfig: { tools: [cachePoint] } }],
  ['toolConfig.mode', { toolConfig: { tools: [{ toolSpec: spec }], mode: 'fast' } }],
  ['toolConfig.tools.toolSpec.examples', { toolConfig: { tools: [{ toolSpec: { ...spec, examples: [] } }] } }],
  ['messages.content.image.error', turn('user', { image: { ...image, error: { message: 'broken' } } })],
  ['messages.content.audio.error', turn('user', { audio: { ...audio, error: { message: 'broken' } } })],
  [
    'messages.content.searchResult.citations',
    turn('user', { searchResult: { ...found, citations: { enabled: true } } }),
  ],
  [
    'messages.content.toolResult.content.searchResult.citations',
    turn('user', result({ searchResult: { ...found, citations: { enabled: true } } })),
  ],
  [
    'messages.content.guardContent.text.qualifiers',
    turn('user', { guardContent: { text: { text: 'a', qualifiers: ['query'] } } }),
  ],
  [
    'system.guardContent.text.qualifiers',
    { system: [{ guardContent: { text: { text: 'a', qualifiers: ['query'] } } }] },
  ],
  ['inferenceConfig.topK', { inferenceConfig: { topK: 5 } }],
  ['additionalModelRequestFields.inferenceConfig.maxTokens', own({ inferenceConfig: { topK: 5, maxTokens: 9 } })],
  ['additionalModelRequestFields.output_config.task_budget', own({ output_config: { task_budget: {} } })],
  ['additionalModelRequestFields.output_config', own({ output_config: 'low' })],
];

const refused: readonly (readonly [string, JsonObject])[] = [
  ['messages[0].content[0].audio', turn('assistant', { audio })],
  ['messages[0].content[1].document', turn('assistant', { text: 'a' }, { document: pdf })],
  ['messages[0].content[0].image', turn('system', { image })],
  ['system[0].guardContent', { system: [{ guardContent: { image } }] }],
  ['additionalModelRequestFields.output_config.format', own({ output_config: { format: { type: 'grammar' } } })],
];

describe('a request of Converse for a vendor of another format', () => {
  it.each(dropped)('names %s as dropped of %j', (name, fields) => {
    const { losses } = read(fields);
    expect(losses.dropped).toEqual([name]);
    expect(losses.refusal).toBeUndefined();
  });

  it.each(refused)('is refused because of %s in %j', (param, fields) => {
    expect(read(fields).losses.refusal).toMatchObject({ code: 'unsupported_parameter', param });
  });

  it('loses nothing of fields that say what is so anyway', () => {
    const { losses } = read({
      ...turn(
        'user',
        { searchResult: { ...found, citations: { enabled: false } } },
        { image: { ...image, error: null } },
      ),
      inferenceConfig: { topK: null },
    });
    expect(losses.dropped).toEqual([]);
  });

  it('has the schema of Claude’s own field, unless the common field has one', () => {
    const schema = { type: 'object' };
    const format = own({ output_config: { format: { type: 'json_schema', schema } } });
    expect(read(format).chat.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'response', strict: true, schema },
    });
    const jsonSchema = { schema: '{"type":"array"}', name: 'list' };
    const textFormat = { type: 'json_schema', structure: { jsonSchema } };
    expect(read({ ...format, outputConfig: { textFormat } }).chat.response_format).toMatchObject({
      json_schema: { name: 'list', schema: { type: 'array' } },
    });
  });
});
