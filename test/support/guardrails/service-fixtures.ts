// For each adapter: a call for a text, the request that its vendor documents for it, and responses in the vendor's
// documented format. The adapters name the sources; values are made up.
import { generateKeyPairSync } from 'node:crypto';
import { fixtureText, plainServiceFixtures } from './plain-service-fixtures.ts';

export interface ServiceResponse {
  readonly name: string;
  readonly stage?: 'input' | 'output';
  /** Status 200. */
  readonly response: unknown;
  /** Empty: the text passes. */
  readonly labels: readonly string[];
  /** The redacted text; undefined: the guardrail blocks. */
  readonly left?: string;
}

export interface ServiceFixture {
  readonly options: Readonly<Record<string, string>>;
  /** In the contract's form. */
  readonly credential?: Readonly<Record<string, string>>;
  readonly text: string;
  /** Requests of one input call, without the host, in order. */
  readonly requests: readonly { readonly path: string; readonly body: unknown }[];
  /** A header that authenticates. */
  readonly authenticates: readonly [name: string, value: RegExp];
  readonly responses: readonly ServiceResponse[];
  /** Responses with status 200 that are not the service's. */
  readonly nonsense: readonly unknown[];
}

const text = fixtureText;
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const serviceAccountKey = keys.publicKey;

/** @param tokenUri URL where the account gets its token */
export function serviceAccount(tokenUri: string): string {
  return JSON.stringify({
    type: 'service_account',
    client_email: 'guard@project.iam.example.com',
    private_key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: tokenUri,
  });
}

const armor = (filterResults: object, filterMatchState = 'MATCH_FOUND') => ({
  sanitizationResult: { filterMatchState, invocationResult: 'SUCCESS', filterResults },
});
const noMatch = 'NO_MATCH_FOUND';
const piAndJailbreak = (matchState: string) => ({
  pi_and_jailbreak: { piAndJailbreakFilterResult: { executionState: 'EXECUTION_SUCCESS', matchState } },
});
const harmless = ['Hate', 'SelfHarm', 'Sexual', 'Violence'].map((category) => ({ category, severity: 0 }));
const shield = { userPromptAnalysis: { attackDetected: false }, documentsAnalysis: [] };

/** Fixtures by adapter. */
export const serviceFixtures: Readonly<Record<string, ServiceFixture>> = {
  presidio: {
    options: { language: 'de', entities: 'PERSON,EMAIL_ADDRESS' },
    text,
    requests: [{ path: '/analyze', body: { text, language: 'de', entities: ['PERSON', 'EMAIL_ADDRESS'] } }],
    authenticates: ['authorization', /^$/],
    responses: [
      { name: 'nothing', response: [], labels: [] },
      {
        name: 'two of them',
        response: [
          { entity_type: 'EMAIL_ADDRESS', start: 15, end: 30, score: 1.0, analysis_explanation: null },
          { entity_type: 'PERSON', start: 2, end: 5, score: 0.85, analysis_explanation: null },
        ],
        labels: ['EMAIL_ADDRESS', 'PERSON'],
        left: '😀 [PERSON_1] lives at [EMAIL_ADDRESS_1]',
      },
      {
        name: 'one within another',
        response: [
          { entity_type: 'EMAIL_ADDRESS', start: 15, end: 30, score: 1 },
          { entity_type: 'URL', start: 19, end: 30, score: 0.5 },
        ],
        labels: ['EMAIL_ADDRESS', 'URL'],
        left: '😀 Ada lives at [EMAIL_ADDRESS_1]',
      },
    ],
    nonsense: [
      {},
      { error: 'No text provided' },
      [{ entity_type: 'PERSON', start: 2, end: 99, score: 1 }],
      [{ entity_type: 'PERSON', start: 5, end: 2, score: 1 }],
      [{ entity_type: 'PERSON', start: -1, end: 2, score: 1 }],
      [{ entity_type: 'PERSON', start: 0.5, end: 2, score: 1 }],
      [{ entity_type: 'PERSON', start: 2, end: 5 }],
      [{ entity_type: 'PERSON', start: 2, end: 5, score: 7 }],
      ['PERSON'],
    ],
  },
  bedrock: {
    options: { region: 'eu-west-1', guardrail: 'gr4a1b2c3d4e', version: '2' },
    credential: { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMIexamplekey' },
    text,
    requests: [
      {
        path: '/guardrail/gr4a1b2c3d4e/version/2/apply',
        body: { source: 'INPUT', content: [{ text: { text } }] },
      },
    ],
    authenticates: [
      'authorization',
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=\S*host\S*, Signature=[0-9a-f]{64}$/,
    ],
    responses: [
      {
        name: 'nothing',
        response: { action: 'NONE', outputs: [], assessments: [{}], usage: {} },
        labels: [],
      },
      {
        name: 'a person, masked',
        response: {
          action: 'GUARDRAIL_INTERVENED',
          outputs: [{ text: '😀 {NAME} lives at {EMAIL}' }],
          assessments: [
            {
              sensitiveInformationPolicy: {
                piiEntities: [
                  { match: 'Ada', type: 'NAME', action: 'ANONYMIZED' },
                  { match: 'ada@example.com', type: 'EMAIL', action: 'ANONYMIZED' },
                ],
                regexes: [],
              },
            },
          ],
        },
        labels: ['NAME', 'EMAIL'],
        left: '😀 {NAME} lives at {EMAIL}',
      },
      {
        name: 'a topic, for which the vendor has its own text',
        response: {
          action: 'GUARDRAIL_INTERVENED',
          outputs: [{ text: 'Sorry, the model cannot answer this question.' }],
          assessments: [
            {
              topicPolicy: { topics: [{ name: 'Fiduciary Advice', type: 'DENY', action: 'BLOCKED' }] },
              contentPolicy: { filters: [{ type: 'INSULTS', confidence: 'LOW', action: 'NONE' }] },
              sensitiveInformationPolicy: {
                piiEntities: [{ match: 'Ada', type: 'NAME', action: 'ANONYMIZED' }],
                regexes: [],
              },
            },
          ],
        },
        labels: ['FIDUCIARY_ADVICE', 'NAME'],
      },
    ],
    nonsense: [{}, { action: 'ALLOW' }, [], { action: 'GUARDRAIL_INTERVENED', assessments: 'none' }],
  },
  azure_content_safety: {
    options: {},
    credential: { api_key: 'azure-key' },
    text,
    requests: [
      {
        path: '/contentsafety/text:analyze?api-version=2024-09-01',
        body: { text, outputType: 'EightSeverityLevels' },
      },
      {
        path: '/contentsafety/text:shieldPrompt?api-version=2024-09-01',
        body: { userPrompt: text, documents: [] },
      },
    ],
    authenticates: ['ocp-apim-subscription-key', /^azure-key$/],
    responses: [
      {
        name: 'nothing',
        response: { ...shield, categoriesAnalysis: harmless, blocklistsMatch: [] },
        labels: [],
      },
      {
        name: 'an attack and violence',
        response: {
          userPromptAnalysis: { attackDetected: true },
          categoriesAnalysis: [...harmless.slice(0, 3), { category: 'Violence', severity: 4 }],
          blocklistsMatch: [],
        },
        labels: ['VIOLENCE', 'PROMPT_ATTACK'],
      },
      {
        name: 'violence that is not severe',
        response: {
          ...shield,
          categoriesAnalysis: [{ category: 'Hate', severity: 3 }],
          blocklistsMatch: [],
        },
        labels: [],
      },
      {
        name: 'a listed word in a response',
        stage: 'output',
        response: {
          categoriesAnalysis: harmless,
          blocklistsMatch: [{ blocklistName: 'ours', blocklistItemId: '1', blocklistItemText: 'x' }],
        },
        labels: ['BLOCKLIST'],
      },
    ],
    nonsense: [
      {},
      shield,
      { categoriesAnalysis: [{ category: 'Hate', severity: 'high' }], ...shield },
      { categoriesAnalysis: [], userPromptAnalysis: {} },
      { categoriesAnalysis: [], userPromptAnalysis: { attackDetected: 'no' } },
    ],
  },
  model_armor: {
    options: { project: 'project-1', location: 'europe-west4', template: 'strict' },
    credential: { service_account: serviceAccount('https://localhost/token') },
    text,
    requests: [
      {
        path: '/v1/projects/project-1/locations/europe-west4/templates/strict:sanitizeUserPrompt',
        body: { userPromptData: { text } },
      },
    ],
    authenticates: ['authorization', /^Bearer access-token-1$/],
    responses: [
      { name: 'nothing', response: armor(piAndJailbreak(noMatch), noMatch), labels: [] },
      {
        name: 'an attack',
        response: armor(piAndJailbreak('MATCH_FOUND')),
        labels: ['PI_AND_JAILBREAK'],
      },
      {
        name: 'dangerous content of one kind',
        response: armor({
          rai: {
            raiFilterResult: {
              matchState: 'MATCH_FOUND',
              raiFilterTypeResults: {
                dangerous: { confidenceLevel: 'HIGH', matchState: 'MATCH_FOUND' },
                harassment: { matchState: noMatch },
              },
            },
          },
        }),
        labels: ['DANGEROUS'],
      },
      {
        name: 'an address, by its location',
        response: armor({
          ...piAndJailbreak(noMatch),
          sdp: {
            sdpFilterResult: {
              inspectResult: {
                matchState: 'MATCH_FOUND',
                findings: [
                  {
                    infoType: 'EMAIL_ADDRESS',
                    likelihood: 'VERY_LIKELY',
                    location: {
                      byteRange: { start: '18', end: '33' },
                      codepointRange: { start: '15', end: '30' },
                    },
                  },
                ],
              },
            },
          },
        }),
        labels: ['SDP_EMAIL_ADDRESS'],
        left: '😀 Ada lives at [SDP_EMAIL_ADDRESS_1]',
      },
      {
        name: 'an address that the vendor removed',
        response: armor({
          sdp: {
            sdpFilterResult: {
              deidentifyResult: {
                matchState: 'MATCH_FOUND',
                data: { text: '😀 Ada lives at [EMAIL]' },
                infoTypes: ['EMAIL_ADDRESS'],
              },
            },
          },
        }),
        labels: ['SDP_EMAIL_ADDRESS'],
        left: '😀 Ada lives at [EMAIL]',
      },
    ],
    nonsense: [
      {},
      { sanitizationResult: { filterMatchState: 'UNSPECIFIED' } },
      { sanitizationResult: { filterMatchState: noMatch, invocationResult: 'PARTIAL', filterResults: {} } },
      armor({ pi_and_jailbreak: {} }),
      armor({
        sdp: {
          sdpFilterResult: {
            inspectResult: {
              matchState: 'MATCH_FOUND',
              findings: [{ infoType: 'X', location: { codepointRange: { start: '5', end: '5000' } } }],
            },
          },
        },
      }),
    ],
  },
  ...plainServiceFixtures,
};
