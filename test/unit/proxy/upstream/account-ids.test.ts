// Ids of the account that a stored key belongs to are not for callers. The texts are vendors' own, as users have quoted them.
import { expect, it } from 'vitest';
import { withoutAccountIds } from '../../../../proxy/upstream/provider-text.ts';

it.each([
  ['in organization org-uVqpjtJiKqvVJMVfvpaounIh on tokens', 'in organization [account] on tokens'],
  ['Project `proj_6FkJpyGtQ2xm1dhL3VhYHrGC` does not', 'Project `[account]` does not'],
  ['your organization (0dccdde6-f924-4f1b-bb3b-92ef846e0a5b) of', 'your organization ([account]) of'],
  ['(org: 9d50ef40-6cc8-4ca6-9d35-1dc9cf26235c, model: x)', '(org: [account], model: x)'],
  ["consumer 'project_number:538392819237'.", "consumer 'project_number:[account]'."],
  ['"consumer":"projects/538392819237"', '"consumer":"projects/[account]"'],
  ['in project 538392819237 before', 'in project [account] before'],
  ['arn:aws:iam::123456789012:user/a', 'arn:aws:iam::[account]:user/a'],
  [
    'arn:aws-us-gov:bedrock:us-gov-west-1:123456789012:inference-profile/x',
    'arn:aws-us-gov:bedrock:us-gov-west-1:[account]:inference-profile/x',
  ],
])('%s becomes %s', (text, expected) => {
  expect(withoutAccountIds(text)).toBe(expected);
});

it.each([
  'prompt is too long: 208310 tokens > 200000 maximum',
  'arn:aws:bedrock:eu-west-1::foundation-model/anthropic.claude',
  'request_id 0dccdde6-f924-4f1b-bb3b-92ef846e0a5b',
  'the organization org-chart of this project 12',
])('%s stays', (text) => {
  expect(withoutAccountIds(text)).toBe(text);
});

it('a long text takes time in proportion to its length', () => {
  const text = 'arn:aws-a:'.repeat(100_000);
  const start = performance.now();
  withoutAccountIds(text);
  expect(performance.now() - start).toBeLessThan(5000);
});
