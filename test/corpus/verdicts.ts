// Decides who is right where LiteLLM (1.106) and the gateway differ, by the vendors' SDK types and pages. A difference
// without a matching row has no verdict yet, and compare.ts fails.
import type { VendorName } from '../../simulator/vendors.ts';
import type { FoundDifference } from './differences.ts';

export interface Difference extends FoundDifference {
  readonly what: 'request' | 'response';
  readonly vendor: VendorName;
  readonly name: string;
}

interface Verdict {
  /** Matches `what vendor name path`. The first matching row counts. */
  readonly at: RegExp;
  readonly right: 'gateway' | 'LiteLLM' | 'both';
  readonly why: string;
}

const gateway = (at: RegExp, why: string): Verdict => ({ at, right: 'gateway', why });
const liteLlm = (at: RegExp, why: string): Verdict => ({ at, right: 'LiteLLM', why });
const both = (at: RegExp, why: string): Verdict => ({ at, right: 'both', why });

const verdicts: readonly Verdict[] = [
  gateway(
    /pdf as bare base64|arguments of: no JSON|a result: null/,
    'LiteLLM raises an exception; the gateway sends them',
  ),
  gateway(/option: allowed tools/, 'LiteLLM refuses the choice; the gateway sends the tools that are allowed'),
  both(/an image by https/, 'both fetch it; LiteLLM could not here, without a network'),
  gateway(
    /option: (n of 2|logprobs|sound in the response)/,
    'LiteLLM leaves the field out silently; the gateway refuses, as the response would be misread',
  ),
  liteLlm(/gpt-provider .*pdf without a name/, 'LiteLLM gives the file a name, which the vendor requires'),
  liteLlm(/gpt-provider .*image as a bare URL/, 'LiteLLM makes it the object that the vendor requires'),
  gateway(
    /(gpt-provider|studio-ai) media in a result: (pdf|text|csv|markdown|json|wav|mp3|mp4)/,
    'LiteLLM leaves files and sound in results, where the vendor takes text only',
  ),
  gateway(
    /search-provider .*(in a result|images? in both|two images|an image alone)/,
    'only Gemini 3 takes media in results; for 2.5 the gateway sends a message of the user’s',
  ),
  both(
    /(gpt-provider|studio-ai) .*(in a result|images? in both|two images|a result: an image alone)/,
    'both move images to a message of the user’s, with different texts',
  ),
  gateway(/(wav|mp3|mp4)/, 'LiteLLM drops sound and videos silently; the gateway sends or refuses them'),
  gateway(
    /png called jpeg|png without padding|png in lines|pdf as an image/,
    'LiteLLM sends the wrong type, or base64 that the vendor refuses',
  ),
  gateway(/: (text file|csv|markdown|json file|gif) /, 'LiteLLM sends a type of file that the vendor does not list'),
  gateway(/pdf( to be cited)? /, 'LiteLLM drops the title of a document, and the wish for citations'),
  both(
    /search-provider a response sent back with: reasoning/,
    'thoughts are sent back as thoughts, or left out, because the vendor reads only signed ones',
  ),
  gateway(
    /a response sent back with/,
    'LiteLLM drops refusals and images of the assistant’s, or sends fields that the vendor refuses',
  ),
  both(/assistant-provider .*part of a tool's result/, 'the mark is on the result or on its part'),
  liteLlm(
    /search-provider a mark/,
    'LiteLLM makes a cache at the vendor, in a call of its own; the gateway drops the mark and names it',
  ),
  gateway(/(gpt-provider|studio-ai) a mark/, 'LiteLLM sends the mark to a vendor that has no such field'),
  both(/the other way round/, 'results in the order of the calls, or in their own order'),
  gateway(
    /turns: UEU|with an empty part/,
    'LiteLLM replaces empty texts by a sentence of its own, or by an empty part',
  ),
  both(
    /studio-ai turns/,
    'the API takes neighbours of one role, and the assistant first; templates of open models do not',
  ),
  both(/turns: S?AU/, 'a first message of the user’s is made up, or the vendor gets the assistant’s first'),
  gateway(
    /search-provider turns: .*[SD]/,
    'LiteLLM moves system messages to the front: each new one makes the cache of all messages useless',
  ),
  both(
    /(assistant-provider|managed-cloud-models) turns: .*[SD]/,
    'a system message in the middle becomes a note at its position, with different texts',
  ),
  gateway(/search-provider (turns: .*2|a result: of two calls)/, 'LiteLLM loses the second of two equal calls'),
  gateway(/gpt-provider .*(of the developer|turns: .*D)/, 'LiteLLM makes a system message of a developer’s'),
  gateway(/arguments of: (a list|an empty text)/, 'arguments that are no object become {} where the vendor wants one'),
  gateway(/deprecated/, 'LiteLLM drops functions, and calls of them in the history'),
  both(
    /schema of a tool: comment|format text|n of 1|one stop text|option: (service_tier|web search|effort (medium|high).*budget)/,
    'the same written differently, or a default of either',
  ),
  liteLlm(
    /output_tokens_details|additional_model_response_field_paths/,
    'LiteLLM requests the count of reasoning from the cloud',
  ),
  gateway(/studio-ai a message: with a name/, 'the API has no such field: the gateway names it'),
  gateway(
    /assistant-provider schema of the response: (map|object of anything|reference to itself|all of two)/,
    'LiteLLM closes open maps, or sends what the vendor refuses; the gateway makes it the input of a tool',
  ),
  gateway(
    /managed-cloud-models schema of the response: (map|object of anything|reference to itself|all of two)/,
    'LiteLLM closes open maps, or sends what the vendor refuses; the gateway makes it the input of a tool',
  ),
  gateway(
    /assistant-provider schema of the response/,
    'LiteLLM sends output_format, which the SDK no longer has; the gateway output_config.format',
  ),
  gateway(
    /managed-cloud-models schema of (a tool: reference|the response)/,
    'LiteLLM cuts references, or sends keywords that the vendor refuses; the gateway writes them into the description',
  ),
  both(
    /search-provider schema of (a tool|the response): (email|text or null|list of anything|choice of numbers|comment|reference)/,
    'the same in two schema languages of the vendor',
  ),
  gateway(
    /search-provider schema of/,
    'LiteLLM drops limits, constants and alternatives, or sends keywords that the vendor does not know; the gateway writes them into the description',
  ),
  gateway(/a strict tool/, 'LiteLLM drops strict, or sends limits that a strict tool may not have'),
  both(
    /a tool: (with an empty schema|without a description|with a long name|without parameters)|function_declarations\/\d+\/parameters\/type/,
    'absent fields are left out, or filled in',
  ),
  gateway(
    /temperature 1.7|temperature and top_p/,
    'LiteLLM sends what the vendor refuses; the gateway clamps or names it',
  ),
  gateway(/option: a JSON object/, 'LiteLLM requests nothing; the gateway requests JSON in the prompt'),
  gateway(/managed-cloud-models option: tools that may not/, 'LiteLLM leaves the model free to call them'),
  gateway(
    /managed-cloud-models option: (no limit|metadata)/,
    'the gateway sends a limit and returns it, and sends metadata',
  ),
  gateway(/search-provider option: penalties/, 'the vendor refuses them of this model'),
  both(
    /(gpt-provider|studio-ai) option: (effort|thinking|verbosity)/,
    'LiteLLM drops what this model does not take; the gateway sends it, and the vendor refuses it',
  ),
  both(/a text of a tool: JSON|a result: a large number/, 'a result that is JSON is sent as an object, or as text'),

  gateway(/search-provider option: effort minimal/, 'LiteLLM sends a budget below what the vendor takes'),

  gateway(
    /response .*choices\/0\/finish_reason/,
    'LiteLLM returns stop where a response failed, paused, or ended with the context',
  ),
  both(
    /response .*\/(provider_specific_fields\/)?native_finish_reason/,
    'the vendor’s own reason is returned where it differs; LiteLLM returns that of one vendor, in another field',
  ),
  gateway(/response .*exact numbers.*arguments/, 'LiteLLM parses numbers and writes them again'),
  both(
    /response .*tool_calls\/\d+\/(function\/arguments|index|caller|type)/,
    'the same JSON with other spaces, or a field more',
  ),
  gateway(
    /response .*(a paused turn|: sound|: sources)/,
    'the response contains the work of the vendor’s own tools, the format of sound, and sources',
  ),
  gateway(/response .*: a search/, 'LiteLLM hands the caller a call of the vendor’s own tool'),
  gateway(
    /response .*(refusal|filtered)/,
    'LiteLLM has a refusal in a field of its own, and leaves out the text before a filter',
  ),
  both(/assistant-provider .*a citation of/, 'citations are annotations, or a field of its own of LiteLLM’s'),
  gateway(/response .*(a citation of|cloud-models: an image)/, 'LiteLLM loses the cited text, its sources, and images'),
  both(/response .*search-provider: an image/, 'defaults of fields'),
  both(/response .*\/usage\//, 'counts without information, or counts twice'),
  both(
    /response .*(provider_specific_fields|thinking_blocks|reasoning_items|vertex_ai|thought_signature)/,
    'fields of its own of either',
  ),
];

/** @returns whether each difference has its verdict */
export function report(
  found: readonly Difference[],
  { requests, responses }: { readonly requests: number; readonly responses: number },
): boolean {
  const pairs = new Map<Verdict, Set<string>>(verdicts.map((verdict) => [verdict, new Set()]));
  const open: Difference[] = [];
  for (const one of found) {
    const { what, vendor, name, path } = one;
    const verdict = verdicts.find(({ at }) => at.test(`${what} ${vendor} ${name} ${path}`));
    if (verdict === undefined) open.push(one);
    else pairs.get(verdict)?.add(`${what} ${vendor} ${name}`);
  }
  for (const one of open) console.log(`no verdict: ${JSON.stringify(one)}`);
  const differing = new Set(found.map(({ what, vendor, name }) => `${what} ${vendor} ${name}`));
  console.log(`${requests} requests and ${responses} responses, of which ${differing.size} differ:\n`);
  console.log('| pairs | who is right | why |\n| --- | --- | --- |');
  const rows = [...pairs].sort(([, a], [, b]) => b.size - a.size);
  for (const [{ right, why }, { size }] of rows) console.log(`| ${size} | ${right} | ${why} |`);
  return open.length === 0;
}
