// The feature table: every section of docs/providers.md with its rows.
import { contentFeatures } from './content.ts';
import type { Feature } from './feature.ts';
import { lengthFeatures, samplingFeatures } from './options.ts';
import { otherFeatures } from './others.ts';
import { reasoningFeatures } from './reasoning.ts';
import { formatFeatures, toolFeatures } from './tools.ts';

export const features: Readonly<Record<string, readonly Feature[]>> = {
  'messages and content': contentFeatures,
  'length and sampling': [...lengthFeatures, ...samplingFeatures],
  'tools and formats': [...toolFeatures, ...formatFeatures],
  reasoning: reasoningFeatures,
  'other fields': otherFeatures,
};
