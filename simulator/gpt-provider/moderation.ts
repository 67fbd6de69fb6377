// The vendor's moderation endpoint. It classifies nothing: a text is in a category if it contains `flag:violence`, or
// `flag:violence=0.4` with a score. Follows ModerationCreateParams and ModerationCreateResponse of the vendor's SDK,
// for the omni models. The vendor does not document how many texts it accepts at a time, nor their length.
import { arrayOf, type Check, isObject, type Json, object, oneOf, string, tagged } from '../checks.ts';
import { badField, Refusal } from './refusal.ts';

/** @param body as received. @returns the response. @throws Refusal, FieldFault */
export function moderate(body: unknown, sequence: number): Json {
  if (!isObject(body)) throw new Refusal(400, { message: 'you must provide an input parameter' });
  checkParameters(body, '');
  return {
    id: `modr-simulated${sequence}`,
    model: 'omni-moderation-2024-09-26',
    results: textsOf(body.input).map(resultOf),
  };
}

const inputsMax = 32;
const imagesMax = 1;

const part = tagged('type', {
  text: object({ type: string(), text: string({ min: 1 }) }),
  image_url: object({ type: string(), image_url: object({ url: string({ min: 1 }) }) }),
});
const text = string({ min: 1 });

const input: Check = (value, path) => {
  if (typeof value === 'string') return text(value, path);
  const isMixed = Array.isArray(value) && value.some(isObject);
  arrayOf(isMixed ? part : text, { min: 1, max: inputsMax })(value, path);
  if (!isMixed) return;
  const images = value.filter((one) => isObject(one) && one.type === 'image_url').length;
  if (images <= imagesMax) return;
  const message = `Number of images (${images}) exceeds maximum of ${imagesMax}`;
  throw badField(path, message, 'too_many_images');
};

const checkParameters = object({ input }, { model: oneOf('omni-moderation-latest', 'omni-moderation-2024-09-26') });

/** Parts are moderated together, as one text. */
function textsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [String(value)];
  if (!value.some(isObject)) return value.map(String);
  return [value.map((one: Json) => (typeof one.text === 'string' ? one.text : '')).join('\n')];
}

const categories = [
  ...['harassment', 'harassment/threatening', 'sexual', 'hate', 'hate/threatening', 'illicit'],
  ...['illicit/violent', 'self-harm/intent', 'self-harm/instructions', 'self-harm', 'sexual/minors'],
  ...['violence', 'violence/graphic'],
];
const quietScore = 0.0001;
const loudScore = 0.97;
const flaggedFrom = 0.5;

function resultOf(verdict: string): Json {
  const scores = new Map(categories.map((category) => [category, quietScore]));
  for (const [, category = '', score = loudScore] of verdict.matchAll(/flag:([a-z/-]+)(?:=([01](?:\.\d+)?))?/g))
    if (scores.has(category)) scores.set(category, Number(score));
  const each = <Value>(value: (score: number) => Value) =>
    Object.fromEntries([...scores].map(([category, score]) => [category, value(score)]));
  return {
    flagged: [...scores.values()].some((score) => score >= flaggedFrom),
    categories: each((score) => score >= flaggedFrom),
    category_scores: each((score) => score),
    category_applied_input_types: each(() => ['text']),
  };
}
