/** Writes amounts for people: every digit kept, a true minus, the currency's own decimals. */
import { exponentOf } from './currency';
import { minorUnits, type Money } from './units';

/** Which amounts show a sign: those below zero, all but zero, or none. */
export type Sign = 'minus' | 'always' | 'never';

const MINUS = '\u2212';
const formats = new Map<string, Intl.NumberFormat>();

function formatOf(locale: string, currency: string, digits: number): Intl.NumberFormat {
  const key = `${locale} ${currency} ${digits}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    formats.set(key, format);
  }
  return format;
}

/** An amount in three pieces, so that decimals can be drawn smaller. */
export interface MoneyParts {
  readonly before: string;
  readonly fraction: string;
  readonly after: string;
}

/** `wholeOnly` leaves out the decimals, for axes. */
export function moneyParts(
  money: Money,
  locale: string,
  sign: Sign = 'minus',
  wholeOnly = false,
): MoneyParts {
  const exponent = exponentOf(money.currency);
  const units = minorUnits(money);
  const scale = 10n ** BigInt(exponent);
  const magnitude = units < 0n ? -units : units;
  const digits = wholeOnly ? 0 : exponent;
  // Intl rounds a number with many digits; a whole BigInt it keeps, so decimals are put in here.
  const parts = formatOf(locale, money.currency, digits).formatToParts(magnitude / scale);
  const decimals = (magnitude % scale).toString().padStart(exponent, '0');
  let before = '';
  let fraction = '';
  let after = '';
  for (const part of parts) {
    if (part.type === 'fraction') fraction += decimals;
    else if (part.type === 'decimal') fraction += part.value;
    else if (fraction === '') before += part.value;
    else after += part.value;
  }
  return { before: signOf(units, sign) + before, fraction, after };
}

function signOf(units: bigint, sign: Sign): string {
  if (sign === 'never' || units === 0n) return '';
  if (units < 0n) return MINUS;
  return sign === 'always' ? '+' : '';
}

export function formatMoney(money: Money, locale: string, sign: Sign = 'minus'): string {
  const { before, fraction, after } = moneyParts(money, locale, sign);
  return before + fraction + after;
}

/** The sign that a language writes before decimals. */
export const decimalSign = (locale: string): string =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: 1 })
    .formatToParts(0.5)
    .find((part) => part.type === 'decimal')?.value ?? '.';

/** The decimal string as a field shows it: grouped, with the language's own decimal sign. */
export function formatPlain(decimal: string, locale: string): string {
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.');
  const grouped = new Intl.NumberFormat(locale).format(BigInt(whole));
  const decimals = fraction ? decimalSign(locale) + fraction : '';
  return (decimal.startsWith('-') ? MINUS : '') + grouped + decimals;
}

/** The sign or code of a currency as the language writes it. */
export function currencySign(currency: string, locale: string): string {
  const parts = formatOf(locale, currency, 0).formatToParts(0);
  return parts.find((part) => part.type === 'currency')?.value ?? currency;
}
