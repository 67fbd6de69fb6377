// Forms by the literals that they are looked for by. Made once for the forms that are shipped, and once for each check that brings its
// own.
import { CharacterSet } from './alphabets.ts';
import { names } from './assignment.ts';
import { type Form, leadMax } from './form.ts';
import { Literals } from './literals.ts';

export interface IndexOfForms {
  /** Anchors of forms as they are, names of assignments in any case of letters. */
  readonly literals: Literals;
  /** Those that may begin where an anchor stands. */
  formsAt(anchor: string): readonly Form[];
  /** Of leads and the anchors behind them: a run of these at the end of a text may become a secret. */
  readonly leading: CharacterSet;
  /** The longest such run that is not decided. */
  readonly leadingMax: number;
}

export function indexOf(forms: readonly Form[]): IndexOfForms {
  const all = [...new Set(forms.flatMap((form) => form.anchors))];
  const byAnchor = new Map(
    all.map((anchor) => [anchor, forms.filter((form) => form.anchors.some((own) => anchor.startsWith(own)))]),
  );
  const literals = new Literals(all, names);
  return {
    literals,
    formsAt: (anchor) => byAnchor.get(anchor) ?? [],
    leading: new CharacterSet('A-Za-z0-9_~.+:/-'),
    leadingMax: leadMax + literals.longest,
  };
}
