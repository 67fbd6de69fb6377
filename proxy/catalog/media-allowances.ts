// The most tokens that an image can count as, by model. Vendors scale images down before they count them, so each
// vendor has a largest image. If its size is unknown, the figure is on the safe side. Budgets reserve this amount; it
// is not charged.
import { matchesGlob } from '../../catalog/model-selector.ts';
import { audioSecondsMax } from './audio-length.ts';

/** @param model `<provider>/<model>` */
export function imageTokensMax(model: string): number {
  return rows.findLast(({ models }) => models.some((glob) => matchesGlob(glob, model)))?.tokens ?? unknown;
}

/** Open vision models use up to 16,384 patches (the Qwen-VL family's default `max_pixels`). */
const unknown = 16_400;

/** Later rows take precedence over earlier ones. */
const rows: readonly { readonly models: readonly string[]; readonly tokens: number }[] = [
  // The GPT vendor's page "Images and vision": newer models accept up to 10,000 patches of 32 pixels in original
  // detail, times a factor of up to 2.46 for the small models.
  { models: ['gpt-provider/*', 'studio-ai/*', '*/gpt-*'], tokens: 24_600 },
  // The same page: eight tiles at most (2,048 × 768 pixels), or 1,536 patches × 2.46.
  { models: ['*/gpt-4*', '*/gpt-5', '*/gpt-5-*', '*/gpt-5.1*', '*/o1*', '*/o3*', '*/o4*'], tokens: 4_000 },
  // The same page: 2,833 tokens and eight tiles of 5,667, so that an image costs as much as at the large model.
  { models: ['*/gpt-4o-mini*'], tokens: 48_200 },
  // The assistant vendor's page "Vision": an image with a long edge of 2,576 pixels counts as 4,784; with earlier
  // models 1,600.
  { models: ['*claude*'], tokens: 4_800 },
  // The cloud's page "Image understanding": 2,600 for the largest image.
  { models: ['*nova*'], tokens: 2_600 },
  // The search company's page "Media resolution": 2,240 in ultra high; earlier models count 258 for each tile of 768
  // pixels, and a very long image has many tiles.
  { models: ['search-provider/*', '*/gemini-*'], tokens: 8_300 },
];

/**
 * The most tokens that a piece of sound can count as; infinite if its bytes give no bound.
 * @param model `<provider>/<model>`
 * @param base64 the sound, or a data URL of it
 */
export function audioTokensMax(model: string, base64: string): number {
  const seconds = audioSecondsMax(base64) ?? Number.POSITIVE_INFINITY;
  const perSecond = audioRows.find(({ models }) => matchesGlob(models, model))?.tokens ?? audioUnknown;
  return Math.ceil(seconds * perSecond) + 1;
}

const audioUnknown = 50;

const audioRows: readonly { readonly models: string; readonly tokens: number }[] = [
  // The GPT vendor's page "Costs" of its realtime API: a token for each 100 ms of sound.
  { models: '*/gpt-*', tokens: 10 },
  // The search company's page "Audio understanding": 32 tokens a second.
  { models: '*gemini-*', tokens: 32 },
];
