// What a request of generateContent may name of the vendor's whole account: objects that all virtual keys would share.
// With a stored provider key it is refused.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import { notEnabled, ofAccount, ofOtherModels } from '../client-losses.ts';
import { permits, type ToolRights } from '../own-tools.ts';
import { below, camelNames } from './client-names.ts';
import { usedKind } from './client-own-tools.ts';
import { partsOf } from './client-parts.ts';
import { ownTools, toolsOf } from './client-tools.ts';

/** @throws GatewayError unsupported_parameter */
export function refuseAccount(body: JsonObject, rights: ToolRights): void {
  const { cachedContent, systemInstruction, contents, generationConfig, modelArmorConfig, tools } = camelNames(
    body,
    '',
  );
  if (isGiven(cachedContent) && cachedContent !== '') throw ofAccount('cachedContent');
  if (isGiven(modelArmorConfig)) throw ofAccount('modelArmorConfig');
  if (isObject(generationConfig)) refuseInConfig(camelNames(generationConfig, 'generationConfig'));
  refuseSecrets(tools);
  refuseFiles(systemInstruction, 'systemInstruction');
  objectsOf(contents).forEach((content, index) => {
    refuseFiles(content, `contents[${index}]`);
    refuseOwnTools(content, `contents[${index}]`, rights);
  });
}

/** A conversation in which the vendor has run a tool demands this tool. */
function refuseOwnTools(content: JsonObject, at: string, rights: ToolRights): void {
  for (const { part, at: where } of partsOf(camelNames(content, at).parts, `${at}.parts`)) {
    const [field, kind] = usedKind(part) ?? [];
    if (kind !== undefined && !permits(rights, kind)) throw notEnabled(`${where}.${field}`);
  }
}

/** Files are of the account or of other hosts, which the vendor would read with its own rights. */
function refuseFiles(content: unknown, at: string): void {
  if (!isObject(content)) return;
  for (const { part, at: where } of partsOf(camelNames(content, at).parts, `${at}.parts`)) {
    if (isGiven(part.fileData)) throw ofAccount(`${where}.fileData`);
    refuseFiles(part.functionResponse, `${where}.functionResponse`);
  }
}

/** @param config with camel names @throws GatewayError unsupported_parameter */
function refuseInConfig({ routingConfig, responseFormat, speechConfig }: JsonObject): void {
  const at = 'generationConfig';
  if (isGiven(routingConfig)) throw ofOtherModels(`${at}.routingConfig`);
  // Where the vendor writes videos: a bucket of the account.
  const bucket = findMember(responseFormat, `${at}.responseFormat`, (name) => name === 'gcsUri');
  if (bucket !== undefined) throw ofAccount(bucket);
  const voice = findMember(speechConfig, `${at}.speechConfig`, isOwnVoice);
  if (voice !== undefined) throw ofAccount(voice);
}

/** SDK type `VoiceConfig`: voices that were made for the account are named by their ids. */
function isOwnVoice(name: string, value: unknown): boolean {
  return name === 'voice' && typeof value === 'string' && /^(?:voice_|voices\/|projects\/)/.test(value);
}

/** SDK type `AuthConfig`: secrets and identities of the account, with which the vendor would call other hosts. */
function refuseSecrets(tools: unknown): void {
  if (!isGiven(tools)) return;
  for (const { tool, at } of toolsOf(tools)) {
    for (const name of ownTools(tool)) {
      const found = findMember(tool[name], `${at}.${name}`, (member) => secrets.has(member));
      if (found !== undefined) throw ofAccount(found);
    }
  }
}

const secrets: ReadonlySet<string> = new Set(['apiKeySecret', 'credentialSecret', 'serviceAccount']);

/** @returns the path of the first given member of which the test is true */
function findMember(value: unknown, at: string, isIt: (name: string, member: unknown) => boolean): string | undefined {
  for (const one of objectsOf(Array.isArray(value) ? value : [value])) {
    for (const [name, member] of Object.entries(camelNames(one, at))) {
      const where = below(at, name);
      if (isGiven(member) && isIt(name, member)) return where;
      const inside = findMember(member, where, isIt);
      if (inside !== undefined) return inside;
    }
  }
  return undefined;
}
