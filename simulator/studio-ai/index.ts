// The hosted model studio's wire format: four dialects of chat completions, each below its own path, with its own
// credentials, versions and refusals. The models' behaviour is shared with the wire format of their vendor.
import { FieldFault } from '../checks.ts';
import { Refusal } from '../gpt-provider/refusal.ts';
import type { WireFormat } from '../wire-format.ts';
import { dated } from './dated.ts';
import type { Dialect } from './dialect.ts';
import { jsonResponse } from './form.ts';
import { inference, serverless } from './inference.ts';
import { StudioRefusal } from './refusal.ts';
import { v1 } from './v1.ts';

const basePath = '/studio-ai';

// The first dialect with a matching prefix responds; the prefix of the last matches every path.
const dialects: readonly Dialect[] = [inference, v1, dated, serverless];

export const studioAi: WireFormat = {
  basePath,
  respond(received, context) {
    const path = received.path.slice(basePath.length);
    const dialect = dialects.find(({ prefix }) => path.startsWith(`${prefix}/`)) ?? serverless;
    try {
      return dialect.respond(path.slice(dialect.prefix.length), received, context);
    } catch (error) {
      const { status, body } = refusalBy(dialect, error);
      return jsonResponse(status, body, context);
    }
  },
};

/** @throws the error, if it is no refusal */
function refusalBy(dialect: Dialect, error: unknown): StudioRefusal {
  if (error instanceof StudioRefusal) return error;
  if (error instanceof Refusal || error instanceof FieldFault) return dialect.refusal(error);
  throw error;
}
