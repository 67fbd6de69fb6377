// Resolves an id to a model: a base model, a cross-region profile (`us.…`), or an ARN of either or of an application
// profile.
import { applicationProfiles, models, otherModels, retiredModels, type SimulatedModel } from './models.ts';
import { invalid, Refusal } from './refusal.ts';

/**
 * @param id as decoded from the path
 * @throws Refusal
 */
export function resolveModel(id: string): SimulatedModel {
  const arn = /^arn:aws(?:-[a-z-]+)?:bedrock:[a-z0-9-]{1,20}:(\d{12})?:([a-z-]+)\/(.+)$/.exec(id);
  if (arn === null) return resolveId(id);
  const [, account, kind, resource = ''] = arn;
  switch (kind) {
    case 'foundation-model':
      return account === undefined ? baseModel(resource) : unknown();
    case 'inference-profile':
      return account === undefined ? unknown() : throughProfile(resource);
    case 'application-inference-profile':
    case 'provisioned-model':
    case 'custom-model-deployment': {
      const model = models.get(applicationProfiles[resource] ?? '');
      if (account === undefined || model === undefined) throw notFound();
      return model;
    }
    case 'imported-model':
      throw invalid(
        "This action doesn't support the model that you provided. Try again with a supported text or chat model.",
      );
    default:
      throw notFound();
  }
}

/**
 * The counter takes base models of one family, also those that are called through profiles alone, and no profile.
 * Source: the vendor's page "Supported models and Regions for token counting", and reports of its users.
 */
export function resolveCounted(id: string): SimulatedModel {
  const model = models.get(id);
  if (model?.family === 'claude') return model;
  resolveModel(id);
  throw invalid("The provided model doesn't support counting tokens.");
}

function resolveId(id: string): SimulatedModel {
  const profile = /^[a-z-]+\.(?=[a-z0-9-]+\.)/.exec(id);
  return profile !== null && !models.has(id) ? throughProfile(id) : baseModel(id);
}

function throughProfile(id: string): SimulatedModel {
  const at = id.indexOf('.');
  const model = models.get(id.slice(at + 1));
  return model?.profiles.includes(id.slice(0, at)) ? model : unknown();
}

function baseModel(id: string): SimulatedModel {
  if (retiredModels.has(id)) {
    const message =
      'This model version has reached the end of its life. Please refer to the AWS documentation for more details.';
    throw new Refusal(404, { type: 'ResourceNotFoundException', message });
  }
  if (otherModels.has(id)) {
    throw invalid(
      "This action doesn't support the model that you provided. Try again with a supported text or chat model.",
    );
  }
  const model = models.get(id);
  if (model === undefined) return unknown();
  if (model.onDemand) return model;
  throw invalid(
    `Invocation of model ID ${id} with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.`,
  );
}

function unknown(): never {
  throw invalid('The provided model identifier is invalid.');
}

function notFound(): Refusal {
  const message = 'Could not resolve the foundation model from the provided model identifier.';
  return new Refusal(404, { type: 'ResourceNotFoundException', message });
}
