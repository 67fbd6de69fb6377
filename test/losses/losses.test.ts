// The table of losses is complete, by the SDKs' own types, and no field is lost without a word: each vendor gets it, or
// the client is informed. docs/losses.md shows the outcomes.
import { beforeAll, describe, expect, it } from 'vitest';
import { vendorNames } from '../../common/vendors.ts';
import type { ClientFormatName } from '../../proxy/formats/client-format.ts';
import { isAbout, type Outcome, outcomesOf } from './outcomes.ts';
import type { Probe } from './probe.ts';
import { lossTables } from './probes/index.ts';
import { readSdkFields } from './sdk-fields.ts';

const formats = Object.entries(lossTables) as [ClientFormatName, (typeof lossTables)[ClientFormatName]][];
let sdk: ReadonlyMap<string, readonly string[]>;
beforeAll(() => {
  sdk = readSdkFields();
});

/** Whether the second path is a field below the first one, or a member of its union. */
function isBelow(path: string, field: string): boolean {
  return field.startsWith(path) && /^[.[]/.test(field.slice(path.length));
}

describe.each(formats)('the table of losses of %s', (name, { probes, sdkType, elsewhere }) => {
  const fields = () => sdk.get(sdkType) ?? [];
  let rows: readonly { readonly probe: Probe; readonly outcomes: readonly (readonly [string, Outcome])[] }[];
  beforeAll(async () => {
    rows = await Promise.all(
      probes.map(async (probe) => {
        const outcomes = await outcomesOf(name, probe);
        return { probe, outcomes: vendorNames.map((vendor) => [vendor, outcomes[vendor]] as const) };
      }),
    );
  });
  const found = (isSo: (probe: Probe, outcome: Outcome) => boolean) =>
    rows.flatMap(({ probe, outcomes }) =>
      outcomes.flatMap(([vendor, outcome]) =>
        isSo(probe, outcome) ? [`${probe.path} at ${vendor}: ${JSON.stringify(outcome)}`] : [],
      ),
    );

  it('has a row for each field of the SDK’s types', () => {
    expect(fields().length).toBeGreaterThan(90);
    const isThere = (field: string) =>
      field in elsewhere ||
      probes.some(({ path, whole }) => path === field || (whole === true && isBelow(path, field)));
    expect(fields().filter((field) => !isThere(field))).toEqual([]);
  });

  it('has rows only for fields that exist', () => {
    const isKnown = ({ path }: Probe) => fields().some((field) => field === path || isBelow(path, field));
    expect(probes.filter((probe) => !isKnown(probe)).map(({ path }) => path)).toEqual(extensions[name] ?? []);
  });

  it('shows no field that is lost in silence, except for a reason', () => {
    expect(found((probe, { is }) => is === 'silent' && probe.silent === undefined)).toEqual([]);
    const isNeeded = ({ silent }: Probe, outcomes: readonly Outcome[]) =>
      silent === undefined || outcomes.some(({ is }) => is === 'silent');
    const idle = rows.filter(
      ({ probe, outcomes }) =>
        !isNeeded(
          probe,
          outcomes.map(([, outcome]) => outcome),
        ),
    );
    expect(idle.map(({ probe }) => probe.path)).toEqual([]);
  });

  it('shows that a loss is named by the field’s path in the client’s format', () => {
    const isStrange = (probe: Probe, outcome: Outcome) => {
      const names = outcome.is === 'refused' ? [outcome.param ?? ''] : 'names' in outcome ? outcome.names : undefined;
      const paths = [probe.path, probe.namedAs ?? probe.path];
      const isInside = (one: string) => probe.whole === true && isAbout(probe.path.replaceAll(/\[[^\]]*\]/g, ''), one);
      return names !== undefined && !names.some((one) => isInside(one) || paths.some((path) => isAbout(one, path)));
    };
    expect(found(isStrange)).toEqual([]);
  });

  it('shows that nothing of what it probes as a whole is mapped', () => {
    const outcomes = ['passed', 'dropped', 'refused', 'silent'];
    expect(found(({ whole }, { is }) => whole === true && !outcomes.includes(is))).toEqual([]);
  });
});

it.each(['converse', 'invoke'] as const)(
  'what belongs to the vendor’s whole account is refused in %s',
  async (name) => {
    const isOfAccount = /s3Location|guardrail|promptVariables|container|mcp_servers|file_id/i;
    const probes = lossTables[name].probes.filter(({ path }) => isOfAccount.test(path));
    expect(probes.length).toBeGreaterThan(3);
    const outcomes = await Promise.all(probes.map((probe) => outcomesOf(name, probe)));
    for (const [index, { path }] of probes.entries()) {
      const words = vendorNames.map((vendor) => outcomes[index]?.[vendor].is);
      expect([path, ...words]).toEqual([path, ...vendorNames.map(() => 'refused')]);
    }
  },
);

/** Rows for fields whose type has its rows elsewhere, and for those that the types lack. */
const extensions: Partial<Record<ClientFormatName, readonly string[]>> = {
  messages: ['messages.content[text].text', 'messages.content[text].citations'],
  responses: ['tool_choice[none]'],
  converse: [
    ...[
      ...['container', 'mcp_servers', 'thinking', 'reasoning_config', 'reasoningConfig', 'reasoning_effort'],
      ...['output_config.effort', 'output_config.format', 'top_k', 'k', 'inferenceConfig.topK'],
      'inferenceConfig.maxTokens',
      ...['tool_choice', 'tool_choice.disable_parallel_tool_use', 'tools'],
    ].map((name) => `additionalModelRequestFields.${name}`),
    ...['messages[system].content.text', 'messages[assistant].content.audio', 'messages.content.cachePoint.ttl'],
    'messages[assistant].content.image',
    ...['messages.content.toolResult.content.image.source.s3Location', 'messages.content.toolResult.type'],
    ...['messages.content.toolUse.type', 'serviceTier[reserved]', 'toolConfig.tools.cachePoint.ttl'],
  ],
  invoke: ['anthropic_beta', 'messages.content[text].text', 'messages.content[text].citations'],
  generate_content: ['generationConfig.imageConfig', 'generationConfig.responseSchema.type', 'store'],
};
