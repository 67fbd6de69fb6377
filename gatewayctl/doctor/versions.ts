// Which versions work together. The contract only grows, so either plane may be updated first. Versions further apart
// than neighbouring minor versions are not tested.
import { type Finding, failed, ok, warning } from './finding.ts';

/** @param version undefined: it is not reported, as by proxies that are older than the Status service */
export function checkSkew(who: string, version: string | undefined, server: string): Finding {
  if (version === server) return ok('versions', `all are ${server}`);
  const finish = 'either may be updated first, but finish the update: neighbouring minor versions work together';
  if (version === undefined)
    return warning('versions', `${who} reports no version, as old releases do; the control plane is ${server}`, finish);
  const [its, servers] = [parse(version), parse(server)];
  if (its === undefined || servers === undefined)
    return warning('versions', `${who} is ${version}, the control plane ${server}`, 'use released versions');
  const relation = isNewer(its, servers) ? 'newer' : 'older';
  const says = `${who} is ${version}, ${relation} than the control plane, ${server}`;
  const near = its.major === servers.major && Math.abs(its.minor - servers.minor) <= 1;
  if (near) return warning('versions', says, finish);
  return failed(
    'versions',
    says,
    `update ${relation === 'newer' ? 'the control plane' : who}: only neighbouring minor versions work together`,
  );
}

interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

function parse(text: string): Version | undefined {
  const match = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:[-+].*)?$/.exec(text);
  if (match === null) return undefined;
  return { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3]) };
}

function isNewer(a: Version, b: Version): boolean {
  return (a.major - b.major || a.minor - b.minor || a.patch - b.patch) > 0;
}
