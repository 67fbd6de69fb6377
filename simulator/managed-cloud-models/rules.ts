// The rules in the order in which they are judged; the vendor tells one mistake at a time, and so do they.
import {
  cachePointsFit,
  guardrailFits,
  mediaAreTaken,
  samplingFits,
  stopsFit,
  systemIsTaken,
  toolsAreTaken,
} from './abilities.ts';
import {
  blocksFitRoles,
  contentIsThere,
  endsWithUser,
  textsAreThere,
  turnsAlternate,
} from './conversation.ts';
import { extraFieldsFit } from './extra-fields.ts';
import { contextFits, outputFits } from './limits.ts';
import { documentsFit, imagesFit } from './media.ts';
import type { ConverseRequest } from './request.ts';
import { responseSchemaFits } from './structured.ts';
import { reasoningIsOurs, thinkingFits, toolTurnsBeginThinking } from './thinking.ts';
import { resultsFit, resultsFollowCalls, toolsAreDeclared } from './tool-turns.ts';
import { toolChoiceFits, toolSpecsFit } from './tools.ts';

export const rules: readonly ((request: ConverseRequest) => void)[] = [
  // The conversation, whatever the model.
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
  // What this model takes.
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
  // What fits into it.
  outputFits,
  contextFits,
];
