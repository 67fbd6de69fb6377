// Google Model Armor: applies the filters of a template to a prompt or a response. Source: REST reference of
// modelarmor.googleapis.com v1, `projects.locations.templates:sanitizeUserPrompt` and `:sanitizeModelResponse`, type
// `SanitizationResult`; the same types are in the package @google-cloud/modelarmor. Enums are names, and 64-bit
// integers are strings.
import { isObject, type JsonObject } from '../../common/json.ts';
import { NoResponseError, type ServiceAdapter, type ServiceFinding, type TextVerdict } from './adapter.ts';
import { codePointOffsets, labelOf, objectOf, objectsIn, spanOf, stringOf } from './read.ts';

export const modelArmor: ServiceAdapter = {
  source: 'https://cloud.google.com/security-command-center/docs/reference/model-armor/rest',
  url: 'https://modelarmor.{location}.rep.googleapis.com',
  options: {
    project: { form: /^[a-z0-9][a-z0-9.:-]{0,61}$/, isRequired: true, about: 'id or number of the project' },
    location: { form: /^[a-z]{2,}(-[a-z]+\d{1,2})?$/, isRequired: true, about: 'such as europe-west4' },
    template: { form: /^[A-Za-z0-9_-]{1,63}$/, isRequired: true, about: 'which filters there are' },
  },
  authentication: 'google',
  authenticate: () => ({ kind: 'google', scope: 'https://www.googleapis.com/auth/cloud-platform' }),
  redacts: true,
  textMax: 40_000,
  scores: false,
  ask: ({ stage, texts }, { options: { project, location, template } }) =>
    texts.map((text, index) => ({
      texts: [index],
      path: `/v1/projects/${project}/locations/${location}/templates/${template}:${
        stage === 'input' ? 'sanitizeUserPrompt' : 'sanitizeModelResponse'
      }`,
      body: stage === 'input' ? { userPromptData: { text } } : { modelResponseData: { text } },
      read: (response) => [verdictOf(text, objectOf(response, 'the response'))],
    })),
};

function verdictOf(text: string, response: JsonObject): TextVerdict {
  const { filterMatchState, filterResults, invocationResult } = objectOf(
    response.sanitizationResult,
    'sanitizationResult',
  );
  // A filter that did not run found nothing, but that is not a pass.
  if (invocationResult !== undefined && invocationResult !== 'SUCCESS')
    throw new NoResponseError('not all filters ran');
  const isMatch = matches(filterMatchState);
  const results = objectOf(filterResults ?? {}, 'filterResults');
  const found: ServiceFinding[] = [];
  let masked: string | undefined;
  for (const [filter, wrapped] of Object.entries(results)) {
    const [result] = Object.values(objectOf(wrapped, filter));
    if (filter === 'sdp') {
      const sensitive = sensitiveIn(text, objectOf(result, filter));
      found.push(...sensitive.found);
      ({ masked } = sensitive);
    } else found.push(...matchesIn(filter, objectOf(result, filter)));
  }
  if (isMatch && found.length === 0) return { found: [{ label: 'OTHER' }] };
  const isMasked =
    masked !== undefined && results.sdp !== undefined && found.every(({ label }) => label.startsWith('SDP_'));
  return { found, ...(isMasked && masked !== undefined && { masked }) };
}

function matches(state: unknown): boolean {
  if (state === 'MATCH_FOUND') return true;
  if (state === 'NO_MATCH_FOUND') return false;
  throw new NoResponseError('a match state is none');
}

/** Responsible AI reports which of its types match. */
function matchesIn(filter: string, result: JsonObject): readonly ServiceFinding[] {
  if (!matches(result.matchState)) return [];
  const types = result.raiFilterTypeResults;
  const matching = isObject(types)
    ? Object.entries(types).filter(([, type]) => isObject(type) && type.matchState === 'MATCH_FOUND')
    : [];
  const names = matching.map(([name]) => name);
  return (names.length > 0 ? names : [filter]).map((name) => ({ label: labelOf(name) }));
}

/** Sensitive Data Protection: reports locations, or returns the text without matches if the template says so. */
function sensitiveIn(text: string, result: JsonObject): TextVerdict {
  const { inspectResult, deidentifyResult } = result;
  if (isObject(deidentifyResult)) {
    if (!matches(deidentifyResult.matchState)) return { found: [] };
    const { data, infoTypes } = deidentifyResult;
    const types = Array.isArray(infoTypes) ? infoTypes.filter((type) => typeof type === 'string') : [];
    const found = (types.length > 0 ? types : ['data']).map((type) => ({ label: labelOf(`sdp_${type}`) }));
    return { found, masked: stringOf(objectOf(data, 'data').text, 'the text that is left') };
  }
  const inspected = objectOf(inspectResult, 'inspectResult');
  if (!matches(inspected.matchState)) return { found: [] };
  const unitsAt = codePointOffsets(text);
  const found = objectsIn(inspected.findings, 'findings').map(({ infoType, location }): ServiceFinding => {
    const label = labelOf(`sdp_${stringOf(infoType, 'infoType')}`);
    const range = isObject(location) ? location.codepointRange : undefined;
    if (!isObject(range)) return { label };
    // A start of 0 is omitted.
    return { label, span: spanOf(range.start ?? 0, range.end, unitsAt) };
  });
  return { found: found.length > 0 ? found : [{ label: 'SDP_DATA' }] };
}
