// What another service says it has found. Its words are its own, so only those in the form of labels are taken.

const form = /^[A-Z][A-Z0-9_]{0,63}$/;
const labelsMax = 20;

/** Others are left out: what was found counts without a name too. @param said as it came */
export function labelsIn(said: unknown): readonly string[] {
  if (!Array.isArray(said)) return [];
  const labels = said.filter((label): label is string => typeof label === 'string' && form.test(label));
  return [...new Set(labels)].slice(0, labelsMax);
}
