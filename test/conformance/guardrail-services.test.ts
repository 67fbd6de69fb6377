// The cloud's own SDK as a second opinion on how requests to its guardrails are written and how their responses are
// read.
import {
  ApplyGuardrailCommand,
  type ApplyGuardrailRequest,
  BedrockRuntimeClient,
} from '@aws-sdk/client-bedrock-runtime';
import { expect, it } from 'vitest';
import { bedrock } from '../../guardrails/services/bedrock.ts';
import { serviceFixtures } from '../support/guardrails/service-fixtures.ts';

const { options = {}, text = '', responses = [] } = serviceFixtures.bedrock ?? {};

it('the bedrock service sends the request of the SDK and finds the matches of the SDK', async () => {
  expect(responses.length).toBeGreaterThan(0);
  for (const { response, labels } of responses) {
    const context = { sources: [], query: '' };
    const setup = { options, scoreMin: undefined };
    const [exchange] = bedrock.ask({ stage: 'input', texts: [text], context }, setup);
    const sent: { path?: string; body?: unknown } = {};
    const client = new BedrockRuntimeClient({
      region: options.region ?? '',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
      requestHandler: {
        handle: async (request: { path: string; body: string | Uint8Array }) => {
          sent.path = request.path;
          sent.body = JSON.parse(Buffer.from(request.body).toString());
          const body = Buffer.from(JSON.stringify(response));
          return { response: { statusCode: 200, headers: { 'content-type': 'application/json' }, body } };
        },
      } as never,
    });
    const request: ApplyGuardrailRequest = {
      guardrailIdentifier: options.guardrail,
      guardrailVersion: options.version,
      source: 'INPUT',
      content: [{ text: { text } }],
    };
    const parsed = await client.send(new ApplyGuardrailCommand(request));
    expect(sent).toEqual({ path: exchange?.path, body: exchange?.body });
    const [verdict] = exchange?.read(response) ?? [];
    expect(parsed.action === 'NONE').toBe(labels.length === 0);
    const masks = parsed.assessments?.flatMap(
      (assessment) => assessment.sensitiveInformationPolicy?.piiEntities?.map(({ type }) => type) ?? [],
    );
    expect(verdict?.found.map(({ label }) => label)).toEqual(expect.arrayContaining(masks ?? []));
    if (verdict?.masked !== undefined) expect(verdict.masked).toBe(parsed.outputs?.[0]?.text);
  }
});
