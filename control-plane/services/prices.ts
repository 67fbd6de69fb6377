// Prices of an organization's own.
export { later as create, later as get, later as list, later as remove, later as update };

async function later(): Promise<never> {
  throw new Error('not built yet');
}
