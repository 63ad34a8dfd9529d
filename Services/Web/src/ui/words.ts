/** The language of the page. Texts are loaded once, before the first screen is drawn. */
export type Text = string | Readonly<Record<string, string>>;

let texts: readonly Text[] = [];
let plurals = new Intl.PluralRules('en');
let language = 'en';
let dates = 'en-GB';

export function speak(chosen: string, loaded: readonly Text[], isMonthFirst = false): void {
  texts = loaded;
  language = chosen;
  plurals = new Intl.PluralRules(chosen);
  dates = chosen === 'en' ? (isMonthFirst ? 'en-US' : 'en-GB') : chosen;
}

/** The locale of amounts and lists. */
export const locale = (): string => language;
/** The locale of dates: English writes «27 November», or «November 27» where the user asks so. */
export const dateLocale = (): string => dates;

export function text(
  index: number,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const found = texts[index] ?? '';
  const chosen =
    typeof found === 'string' ? found : found[plurals.select(Number(values.count))] ?? found.other ?? '';
  return chosen.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value ?? '';
  });
}

/** «A, B and C» in the language. */
export const listOf = (items: readonly string[]): string =>
  new Intl.ListFormat(language, { type: 'conjunction' }).format(items);
