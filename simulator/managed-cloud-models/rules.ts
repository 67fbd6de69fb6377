// The rules in the order of their checks. Like the vendor, the simulator reports one error at a time.
import {
  cachePointsFit,
  guardrailFits,
  mediaAreTaken,
  samplingFits,
  stopsFit,
  systemIsTaken,
  toolsAreTaken,
} from './abilities.ts';
import { blocksFitRoles, contentIsThere, endsWithUser, textsAreThere, turnsAlternate } from './conversation.ts';
import { extraFieldsFit } from './extra-fields.ts';
import { contextFits, outputFits } from './limits.ts';
import { documentsFit, imagesFit } from './media.ts';
import type { ConverseRequest } from './request.ts';
import { responseSchemaFits } from './structured.ts';
import { reasoningIsOurs, thinkingFits, toolTurnsBeginThinking } from './thinking.ts';
import { resultsFit, resultsFollowCalls, toolsAreDeclared } from './tool-turns.ts';
import { toolChoiceFits, toolSpecsFit } from './tools.ts';

export const rules: readonly ((request: ConverseRequest) => void)[] = [
  // Rules of the conversation, for every model.
  turnsAlternate,
  contentIsThere,
  textsAreThere,
  blocksFitRoles,
  toolsAreDeclared,
  resultsFollowCalls,
  resultsFit,
  documentsFit,
  toolSpecsFit,
  guardrailFits,
  // Parts that this model accepts.
  systemIsTaken,
  toolsAreTaken,
  toolChoiceFits,
  mediaAreTaken,
  imagesFit,
  samplingFits,
  stopsFit,
  cachePointsFit,
  extraFieldsFit,
  thinkingFits,
  reasoningIsOurs,
  toolTurnsBeginThinking,
  responseSchemaFits,
  endsWithUser,
  // Sizes.
  outputFits,
  contextFits,
];
