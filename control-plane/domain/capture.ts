// What owners set for captures, and why content is opened. Pure.
import { dayMs } from '../../common/durations.ts';
import type { CaptureTarget__Output } from '../../proto/generated/gateway/v1/CaptureTarget.ts';
import { captureTargetKinds } from '../../proto/words/captures.ts';
import { referenceOf } from './enum-names.ts';
import { type Field, invalid } from './field.ts';
import { time, visible, within } from './shared-fields.ts';

/** Settings and grants of readers end after this at the latest. */
export const captureDaysMax = 30;
export const sideBytesMax = 64 * 1024;
export const usualRetentionDays = 7;
/** Sealed bytes that one setting keeps in all. */
export const settingBytesMax = 256 * 1024 * 1024;
/** The same of all settings of an organization of the last month: otherwise one could be enabled after the other. */
export const organizationBytesMax = 1024 * 1024 * 1024;
const reasonLengths = { min: 10, max: 500 } as const;

/** Reads `target`; the caller checks that it exists. */
export function captureTarget(organizationId: string) {
  const read = referenceOf(captureTargetKinds)(organizationId);
  return (target: CaptureTarget__Output | null) => read(target);
}

/** Reads an end in the future, at most 30 days from `now`. */
export function captureEnd(now: number): (text: string) => Field<number> {
  return (text) => {
    const read = time(text);
    if (!('value' in read)) return read;
    if (read.value <= now) return invalid('must be in the future');
    return read.value > now + captureDaysMax * dayMs
      ? invalid(`must be at most ${captureDaysMax} days from now`)
      : read;
  };
}

export const samplePerThousand = within(1, 1000);
export const retentionDays = within(1, captureDaysMax);
export const sideBytes = within(1024, sideBytesMax);

/** Reads the reason for which content is opened: some words, because an auditor reads it. */
export function openingReason(text: string): Field<string> {
  const trimmed = text.trim().normalize('NFC');
  const { min, max } = reasonLengths;
  return [...trimmed].length < min ? invalid(`must be ${min} to ${max} visible characters`) : visible(trimmed, max);
}
