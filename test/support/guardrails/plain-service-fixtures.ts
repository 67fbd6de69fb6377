// Fixtures of the services that take one plain request per text: see service-fixtures.ts.
import type { ServiceFixture } from './service-fixtures.ts';

/** Its offsets in code points and in UTF-16 units differ. */
export const fixtureText = '😀 Ada lives at ada@example.com';
const text = fixtureText;

export const plainServiceFixtures: Readonly<Record<string, ServiceFixture>> = {
  lakera: {
    options: { project: 'project-8541012967' },
    credential: { api_key: 'lakera-key' },
    text,
    requests: [
      {
        path: '/v2/guard',
        body: {
          messages: [{ role: 'user', content: text }],
          breakdown: true,
          payload: true,
          project_id: 'project-8541012967',
        },
      },
    ],
    authenticates: ['authorization', /^Bearer lakera-key$/],
    responses: [
      {
        name: 'nothing',
        response: {
          flagged: false,
          payload: [],
          breakdown: [{ project_id: 'p', policy_id: 'p', detector_type: 'prompt_attack', detected: false }],
        },
        labels: [],
      },
      {
        name: 'an attack',
        response: {
          flagged: true,
          payload: [],
          breakdown: [{ detector_type: 'prompt_attack', detected: true, message_id: 0 }],
        },
        labels: ['PROMPT_ATTACK'],
      },
      {
        name: 'an address, by its location',
        response: {
          flagged: true,
          payload: [
            {
              start: 15,
              end: 30,
              text: 'ada@example.com',
              detector_type: 'pii/email',
              labels: [],
              message_id: 0,
            },
          ],
          breakdown: [{ detector_type: 'pii/email', detected: true }],
        },
        labels: ['PII_EMAIL'],
        left: '😀 Ada lives at [PII_EMAIL_1]',
      },
      {
        name: 'an address, by its location in UTF-16 units',
        response: {
          flagged: true,
          payload: [{ start: 16, end: 31, text: 'ada@example.com', detector_type: 'pii/email' }],
          breakdown: [],
        },
        labels: ['PII_EMAIL'],
        left: '😀 Ada lives at [PII_EMAIL_1]',
      },
    ],
    nonsense: [
      {},
      { flagged: 'no' },
      // The verdict is fine, but the spans are of another text.
      { flagged: false, payload: [{ start: 900, end: 950, text: 'x', detector_type: 'pii/email' }] },
      { flagged: true, payload: [{ start: 0, end: 2, text: 'another', detector_type: 'pii/email' }] },
      { flagged: true, breakdown: [{ detector_type: 'prompt_attack' }] },
    ],
  },
  mistral_moderation: {
    options: {},
    credential: { api_key: 'mistral-key' },
    text,
    requests: [{ path: '/v1/moderations', body: { model: 'mistral-moderation-latest', input: [text] } }],
    authenticates: ['authorization', /^Bearer mistral-key$/],
    responses: [
      {
        name: 'nothing',
        response: {
          id: 'mod-1',
          model: 'mistral-moderation-latest',
          results: [{ categories: { pii: false, health: false }, category_scores: { pii: 0.1, health: 0 } }],
        },
        labels: [],
      },
      {
        name: 'two categories',
        response: {
          id: 'mod-2',
          results: [
            {
              categories: { pii: true, violence_and_threats: true, law: false },
              category_scores: { pii: 0.99, violence_and_threats: 0.7, law: 0.1 },
            },
          ],
        },
        labels: ['PII', 'VIOLENCE_AND_THREATS'],
      },
    ],
    nonsense: [
      {},
      { results: [] },
      { results: [{}] },
      { results: [{ categories: {} }] },
      { results: [{ categories: { pii: 1 } }] },
    ],
  },
};
