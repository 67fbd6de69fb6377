// Words before a number that say that it is one of something else: of parts, orders, accounts. What looks like a phone number or an id
// of a person behind them is none.

const things =
  'is[bs]n|doi|ean|gtin|upc|asin|sku|mpn|order|invoice|receipt|rechnung\\w{0,9}|bestell\\w{0,9}|auftrag\\w{0,9}|facture|commande|' +
  'pedido|factura|ordine|fattura|ticket|case|serial|parts?|p\\/n|s\\/n|ref(?:erence)?|model|item|product|article|artikel\\w{0,9}|' +
  'teile?|catalog(?:ue)?|tracking|account|konto\\w{0,9}|id|version|build|vat|iva|nif|kvk|siret|siren|lot|batch';

const otherWord = new RegExp(
  `(?<![a-z])(?:${things})[\\s:#._-]{0,3}(?:no|nr|number|nummer|num|id|code)?["'\\s:#.=]{0,4}$`,
  'i',
);

/** @param before what stands before the number */
export function isOfThing(before: string): boolean {
  return otherWord.test(before);
}
