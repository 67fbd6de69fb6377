// Function names. Callers may begin a name with a digit or a hyphen; the vendor requires a letter or an underscore. The
// tools of the request alone determine the mapping in both directions.

export interface FunctionNames {
  toVendor(name: string): string;
  /** A name that belongs to no tool of the request stays unchanged. */
  toCaller(name: string): string;
  /** A name close to the given one that no tool of the request has. */
  free(name: string): string;
}

/** @param names names of the request's tools */
export function functionNames(names: readonly string[]): FunctionNames {
  const toVendor = new Map<string, string>();
  const toCaller = new Map<string, string>();
  const free = (name: string) => firstFree(vendorForm(name), (one) => toCaller.has(one));
  const [good, odd] = [names.filter(isVendorForm), names.filter((name) => !isVendorForm(name))];
  // Valid names first, so that none of them has to change.
  for (const name of [...good, ...odd]) {
    if (toVendor.has(name)) continue;
    const given = isVendorForm(name) ? name : free(name);
    toVendor.set(name, given);
    toCaller.set(given, name);
  }
  return {
    toVendor: (name) => toVendor.get(name) ?? vendorForm(name),
    toCaller: (name) => toCaller.get(name) ?? name,
    free,
  };
}

/** The vendor's older limit; newer pages allow twice as many characters. */
const lengthMax = 64;

function isVendorForm(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/.test(name);
}

/** Names in the history can be any text. */
function vendorForm(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_.:-]/g, '_');
  return (/^[A-Za-z_]/.test(plain) ? plain : `_${plain}`).slice(0, lengthMax);
}

function firstFree(name: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let count = 2; isTaken(free); count++) {
    const suffix = `_${count}`;
    free = name.slice(0, lengthMax - suffix.length) + suffix;
  }
  return free;
}
