// Azure AI Content Safety: harm by category and severity, and Prompt Shields for the input. Source:
// learn.microsoft.com/rest/api/contentsafety/text-operations, `text:analyze` (AnalyzeTextOptions, AnalyzeTextResult)
// and `text:shieldPrompt` (ShieldPromptOptions, ShieldPromptResult), api-version 2024-09-01. A text has at most 10,000
// characters.
import { isObject } from '../../common/json.ts';
import type { ServiceAdapter, ServiceExchange, ServiceSetup } from './adapter.ts';
import { booleanOf, labelOf, listOf, numberOf, objectOf, objectsIn, stringOf } from './read.ts';

const version = '2024-09-01';
const severityDefault = 4;

export const azureContentSafety: ServiceAdapter = {
  source: 'https://learn.microsoft.com/en-us/rest/api/contentsafety/text-operations',
  url: undefined,
  options: {
    checks: { form: /^(harm|prompt_shields|both)$/, about: 'which of the two; default both' },
    severity_min: { form: /^[0-7]$/, about: 'harm counts from this severity on; default 4' },
    categories: {
      form: /^(Hate|SelfHarm|Sexual|Violence)(,(Hate|SelfHarm|Sexual|Violence)){0,3}$/,
      about: 'of harm, such as Hate,Violence; default all',
    },
    blocklists: { form: /^[\w.~-]{1,64}(,[\w.~-]{1,64}){0,9}$/, about: 'names of block lists; default none' },
  },
  authentication: 'header',
  authenticate: () => ({ kind: 'header', name: 'ocp-apim-subscription-key', prefix: '' }),
  redacts: false,
  textMax: 10_000,
  scores: false,
  ask: (requested, setup) => {
    const checks = setup.options.checks ?? 'both';
    return requested.texts.flatMap((text, index) => [
      ...(checks === 'prompt_shields' ? [] : [harm(text, index, setup)]),
      ...(checks === 'harm' || requested.stage === 'output' ? [] : [shield(text, index)]),
    ]);
  },
};

function harm(text: string, index: number, { options }: ServiceSetup): ServiceExchange {
  const severityMin = Number(options.severity_min ?? severityDefault);
  return {
    texts: [index],
    path: `/contentsafety/text:analyze?api-version=${version}`,
    body: {
      text,
      outputType: 'EightSeverityLevels',
      ...(options.categories !== undefined && { categories: options.categories.split(',') }),
      ...(options.blocklists !== undefined && { blocklistNames: options.blocklists.split(',') }),
    },
    read: (response) => {
      const { categoriesAnalysis, blocklistsMatch } = objectOf(response, 'the response');
      const found = listOf(categoriesAnalysis, 'categoriesAnalysis').flatMap((item) => {
        const { category, severity } = objectOf(item, 'a category');
        const label = labelOf(stringOf(category, 'a category'));
        return numberOf(severity, 'a severity') >= severityMin ? [{ label }] : [];
      });
      const listed = objectsIn(blocklistsMatch, 'blocklistsMatch').length > 0;
      return [{ found: [...found, ...(listed ? [{ label: 'BLOCKLIST' }] : [])] }];
    },
  };
}

/** The whole text is sent as a user prompt, because the gateway does not know which parts a user wrote. */
function shield(text: string, index: number): ServiceExchange {
  return {
    texts: [index],
    path: `/contentsafety/text:shieldPrompt?api-version=${version}`,
    body: { userPrompt: text, documents: [] },
    read: (response) => {
      const { userPromptAnalysis } = objectOf(response, 'the response');
      const reported = isObject(userPromptAnalysis) ? userPromptAnalysis.attackDetected : undefined;
      const isAttack = booleanOf(reported, 'attackDetected');
      return [{ found: isAttack ? [{ label: 'PROMPT_ATTACK' }] : [] }];
    },
  };
}
