import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../common/secret.ts';
import { responseModel } from '../../../../proxy/upstream/provider-text.ts';

const credential = { apiKey: new Secret('key-of-the-provider') };
const reported = (model: string | undefined) => responseModel(model, credential);

describe('the model that produced a response', () => {
  it.each(['gpt-4o-2024-11-20', '/models/Llama 3.gguf', 'arn:aws:bedrock:us-east-1::foundation-model/m-v1:0'])(
    'is recorded as reported: %s',
    (model) => expect(reported(model)).toBe(model),
  );

  it('is cut to 256 characters', () => {
    expect(reported('m'.repeat(256))).toBe('m'.repeat(256));
    expect(reported('m'.repeat(100_000))).toBe('m'.repeat(256));
  });

  it.each([
    ['is not reported', undefined],
    ['is empty', ''],
    ['contains a null character', 'a\u0000b'],
    ['contains a line break', 'a\nb'],
    ['contains characters beyond ASCII', 'модель'],
    ['contains the provider’s key', 'model-key-of-the-provider'],
    ['contains the provider’s key where it is cut', `${'m'.repeat(250)}key-of-the-provider`],
    ['contains a key of the gateway', 'model-sk-svc-not-a-key'],
  ])('is not recorded when it %s', (_what, model) => {
    expect(reported(model)).toBeUndefined();
  });
});
