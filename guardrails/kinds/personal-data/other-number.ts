// Words before a number that identify it as something else: a part, an order, an account. A number after such a word is
// not a phone number or a personal id, even if it looks like one.

/** Parts and orders. */
const things =
  'is[bs]n|doi|ean|gtin|upc|asin|sku|mpn|order|invoice|receipt|rechnung\\w{0,9}|bestell\\w{0,9}|auftrag\\w{0,9}|facture|commande|' +
  'pedido|factura|ordine|fattura|serial|parts?|p\\/n|s\\/n|ref(?:erence)?|model|item|product|article|artikel\\w{0,9}|' +
  'teile?|catalog(?:ue)?|tracking|lot|batch';

/** Words that may also precede a personal id ("Tax ID: 219-…"), but not a phone number. */
const records = 'ticket|case|account|konto\\w{0,9}|id|version|build|vat|iva|nif|kvk|siret|siren';

const thingBefore = wordBefore(things);
const otherBefore = wordBefore(`${things}|${records}`);

/** @param before the text before the number */
export function isOfThing(before: string): boolean {
  return thingBefore.test(before);
}

/** @param before the text before the number */
export function isOfThingOrRecord(before: string): boolean {
  return otherBefore.test(before);
}

function wordBefore(words: string): RegExp {
  return new RegExp(`(?<![a-z])(?:${words})[\\s:#._-]{0,3}(?:no|nr|number|nummer|num|id|code)?["'\\s:#.=]{0,4}$`, 'i');
}
