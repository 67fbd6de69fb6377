// Decodes custom providers of the contract into the proxy's own types. A provider with a wire format or key form that
// this version does not know is left out: then it cannot be called, which gives nobody access.
import { capabilityValues, isCapability, isCapabilityName } from '../../common/model-facts.ts';
import { never } from '../../common/never.ts';
import type { ProviderModel__Output } from '../../proto/generated/gateway/v1/ProviderModel.ts';
import type { ProviderRecord__Output } from '../../proto/generated/gateway/v1/ProviderRecord.ts';
import { keyForms, wireFormats } from '../../proto/words/access.ts';
import type { CustomModel, CustomProvider, KeyForm } from '../access/principal.ts';
import type { Capabilities } from '../catalog/capabilities.ts';
import type { CatalogModel } from '../catalog/models.ts';
import { decodePrices } from './wire-prices.ts';

/** None or one. @throws Error if the record lacks what the contract promises */
export function decodeCustomProvider(record: ProviderRecord__Output): CustomProvider[] {
  const { id, name, baseUrl } = record;
  const wireFormat = wireFormats.wordOf(record.wireFormat);
  const keyForm = decodeKeyForm(record);
  if (wireFormat === undefined || keyForm === undefined) return [];
  if (id === '' || name === '' || !URL.canParse(baseUrl)) throw new Error('the record contains half a provider');
  const created = Math.floor(Date.parse(record.createdAt) / 1000) || 0;
  const models = record.models.map((model) => decodeModel(model, name, created));
  return [{ id, name, wireFormat, baseUrl, keyForm, passedFields: record.passedFields, models }];
}

function decodeKeyForm({ keyForm, keyHeader }: ProviderRecord__Output): KeyForm | undefined {
  const form = keyForms.wordOf(keyForm);
  switch (form) {
    case 'wire_format':
    case 'bearer':
    case 'none':
    case undefined:
      return form;
    case 'api_key_header':
      return { header: 'api-key' };
    case 'header':
      return keyHeader === undefined ? undefined : { header: keyHeader };
    default:
      return never(form);
  }
}

function decodeModel(model: ProviderModel__Output, provider: string, created: number): CustomModel {
  const { name, maxInputTokens, maxOutputTokens, prices } = model;
  const catalogModel: CatalogModel = {
    provider,
    name,
    chat: true,
    created,
    limits: {
      ...(maxInputTokens !== undefined && { maxInputTokens }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    },
    capabilities: model.capabilities.filter(isCapability),
    ...(prices !== null && { prices: decodePrices(prices) }),
  };
  return { catalogModel, capabilities: decodeCapabilities(model.traits) };
}

function decodeCapabilities(texts: Readonly<Record<string, string>>): Partial<Capabilities> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => {
      const values: readonly unknown[] = isCapabilityName(name) ? capabilityValues[name] : [];
      const value = values.find((one) => String(one) === text);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
