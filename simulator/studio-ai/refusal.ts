// Refusals of the service in front of the models, in its own envelopes. A refusal by a model has the texts of its
// maker.
import type { Json } from '../checks.ts';

export class StudioRefusal extends Error {
  readonly status: number;
  readonly body: Json;

  constructor(status: number, body: Json) {
    super(`refused with ${status}`);
    this.name = 'StudioRefusal';
    this.status = status;
    this.body = body;
  }
}

/** A refusal in the shortest envelope. */
export function refused(status: number, code: string, message: string): StudioRefusal {
  return new StudioRefusal(status, { error: { code, message } });
}

export function noSuchPath(): StudioRefusal {
  return refused(404, '404', 'Resource not found');
}

export const noDeploymentMessage =
  'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.';

/** The model of the deployment is not for chat. */
export function noChatModel(name: string): StudioRefusal {
  const message = `The chatCompletion operation does not work with the specified model, ${name}. Please choose different model and try again. You can learn more about which models can be used with each operation here: https://go.microsoft.com/fwlink/?linkid=2197993.`;
  return refused(400, 'OperationNotSupported', message);
}

export function onlySince(what: string, version: string): StudioRefusal {
  return refused(400, 'BadRequest', `${what} is enabled only for api versions ${version} and later`);
}

/** The refusal of a model of another make, as the service passes it on. */
export function badRequest(message: string): StudioRefusal {
  return new StudioRefusal(400, { error: { code: 'Bad Request', message, status: 400 } });
}

/** A parameter of the service that this model does not support. */
export function notSupported(loc: readonly (string | number)[], input: unknown): StudioRefusal {
  return new StudioRefusal(422, {
    status: 422,
    code: 'parameter_not_supported',
    detail: { loc, input },
    message: 'One of the parameters contain invalid values.',
  });
}
