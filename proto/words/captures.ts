// Enum words for captures: whose requests, which side, and in which form.
import type { CaptureForm__Output } from '../generated/gateway/v1/CaptureForm.ts';
import type { CaptureSide__Output } from '../generated/gateway/v1/CaptureSide.ts';
import type { CaptureTargetKind__Output } from '../generated/gateway/v1/CaptureTargetKind.ts';
import { enumWords, type WordOf, type WordsFor } from './enum-words.ts';

export const captureTargetKinds = enumWords({
  CAPTURE_TARGET_KIND_ORGANIZATION: 'organization',
  CAPTURE_TARGET_KIND_AI_SYSTEM: 'ai_system',
  CAPTURE_TARGET_KIND_VIRTUAL_KEY: 'virtual_key',
} as const satisfies WordsFor<CaptureTargetKind__Output>);
export type CaptureTargetKind = WordOf<typeof captureTargetKinds>;

export const captureSides = enumWords({
  CAPTURE_SIDE_REQUEST: 'request',
  CAPTURE_SIDE_RESPONSE: 'response',
} as const satisfies WordsFor<CaptureSide__Output>);
export type CaptureSide = WordOf<typeof captureSides>;

export const captureForms = enumWords({
  CAPTURE_FORM_BODY: 'body',
  CAPTURE_FORM_STREAM: 'stream',
} as const satisfies WordsFor<CaptureForm__Output>);
export type CaptureForm = WordOf<typeof captureForms>;
