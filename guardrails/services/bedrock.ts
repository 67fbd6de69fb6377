// Bedrock Guardrails, applied to texts without a model. Source: SDK types `ApplyGuardrailRequest` and
// `ApplyGuardrailResponse` of the package @aws-sdk/client-bedrock-runtime. One request for each text, so that the
// masked text is returned for each one.
import { isObject, type JsonObject } from '../../common/json.ts';
import {
  NoResponseError,
  type ServiceAdapter,
  type ServiceFinding,
  type ServiceTexts,
  type TextVerdict,
} from './adapter.ts';
import { labelOf, objectOf, objectsIn, stringOf } from './read.ts';

export const bedrock: ServiceAdapter = {
  source: '@aws-sdk/client-bedrock-runtime ApplyGuardrailCommand',
  url: 'https://bedrock-runtime.{region}.amazonaws.com',
  options: {
    region: { form: /^[a-z]{2}(-[a-z0-9]+)+-\d{1,2}$/, isRequired: true, about: 'such as eu-west-1' },
    guardrail: { form: /^[a-z0-9]{1,64}$/, isRequired: true, about: "the vendor's id of the guardrail" },
    version: { form: /^(DRAFT|[1-9]\d{0,7})$/, about: 'of it; default DRAFT' },
    grounding: {
      form: /^(true|false)$/,
      about: 'true: responses are compared with the texts that the model received',
    },
  },
  authentication: 'aws',
  authenticate: ({ options }) => ({ kind: 'aws', region: options.region ?? '' }),
  redacts: true,
  textMax: 24_000,
  scores: false,
  ask: (requested, { options }) =>
    requested.texts.map((text, index) => ({
      texts: [index],
      path: `/guardrail/${options.guardrail}/version/${options.version ?? 'DRAFT'}/apply`,
      body: {
        source: requested.stage === 'input' ? 'INPUT' : 'OUTPUT',
        content: contentOf(text, requested, options.grounding === 'true'),
      },
      read: (response) => [verdictOf(objectOf(response, 'the response'))],
    })),
};

function contentOf(text: string, { stage, context }: ServiceTexts, grounds: boolean): readonly object[] {
  const block = (part: string, ...qualifiers: string[]) => ({
    text: { text: part, ...(qualifiers.length > 0 && { qualifiers }) },
  });
  if (!grounds || stage === 'input' || context.query === '') return [block(text)];
  return [
    ...context.sources.map((source) => block(source, 'grounding_source')),
    block(context.query, 'query'),
    block(text, 'guard_content'),
  ];
}

function verdictOf(response: JsonObject): TextVerdict {
  const { action, outputs, assessments } = response;
  if (action !== 'NONE' && action !== 'GUARDRAIL_INTERVENED') throw new NoResponseError('an action is none');
  if (action === 'NONE') return { found: [] };
  const acted = objectsIn(assessments, 'assessments').flatMap(actedIn);
  const found = acted.map(({ label }) => ({ label }));
  const isMasked = acted.length > 0 && acted.every(({ masks }) => masks);
  const [output] = objectsIn(outputs, 'outputs');
  if (!isMasked || output === undefined) return { found: found.length > 0 ? found : [{ label: 'OTHER' }] };
  return { found, masked: stringOf(output.text, 'an output') };
}

interface Acted extends ServiceFinding {
  readonly masks: boolean;
}

/** The result lists of each policy, and the field that names a match. */
const lists = [
  ['topicPolicy', 'topics', 'name'],
  ['contentPolicy', 'filters', 'type'],
  ['wordPolicy', 'managedWordLists', 'type'],
  ['wordPolicy', 'customWords', undefined],
  ['sensitiveInformationPolicy', 'piiEntities', 'type'],
  ['sensitiveInformationPolicy', 'regexes', 'name'],
  ['contextualGroundingPolicy', 'filters', 'type'],
] as const;

function actedIn(assessment: JsonObject): readonly Acted[] {
  return lists.flatMap(([policy, list, named]) => {
    const reported = assessment[policy];
    if (!isObject(reported)) return [];
    return objectsIn(reported[list], list).flatMap((item): Acted[] => {
      // Detected, but allowed by the guardrail's own configuration.
      if (item.action === 'NONE') return [];
      const name = named === undefined ? 'custom_word' : stringOf(item[named], named);
      return [{ label: labelOf(name), masks: item.action === 'ANONYMIZED' }];
    });
  });
}
