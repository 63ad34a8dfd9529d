/** Checks an IBAN as it is typed (ISO 13616: mod 97 is 1). */
export type IbanState = 'empty' | 'incomplete' | 'wrong' | 'right';

/** The lengths of the countries that the suite meets most; others are 15 to 34. */
const lengths: Readonly<Record<string, number>> = {
  AT: 20, BE: 16, BG: 22, CH: 21, CY: 28, CZ: 24, DE: 22, DK: 18, EE: 20, ES: 24, FI: 18, FR: 27,
  GB: 22, GR: 27, HR: 21, HU: 28, IE: 22, IS: 26, IT: 27, LI: 21, LT: 20, LU: 20, LV: 21, MC: 27,
  MT: 31, NL: 18, NO: 15, PL: 28, PT: 25, RO: 24, SE: 24, SI: 19, SK: 24, SM: 27,
};

/** Without spaces, in capitals: as the API takes it. */
export const plainIban = (text: string): string => text.replace(/[\s-]/g, '').toUpperCase();

/** In groups of four: as people read it. */
export const spacedIban = (text: string): string =>
  plainIban(text).replace(/(.{4})(?=.)/g, '$1 ');

/** The country and the last four: «IT60 … 3456». */
export const shortIban = (text: string): string => {
  const plain = plainIban(text);
  return `${plain.slice(0, 4)} … ${plain.slice(-4)}`;
};

export function ibanState(text: string): IbanState {
  const plain = plainIban(text);
  if (plain === '') return 'empty';
  if (!/^[A-Z]{0,2}$|^[A-Z]{2}\d{0,2}$|^[A-Z]{2}\d{2}[A-Z0-9]*$/.test(plain)) return 'wrong';
  const length = lengths[plain.slice(0, 2)];
  if (length === undefined ? plain.length < 15 : plain.length < length) return 'incomplete';
  if (plain.length > (length ?? 34)) return 'wrong';
  return remainder(plain) === 1 ? 'right' : 'wrong';
}

function remainder(plain: string): number {
  let rest = 0;
  for (const letter of plain.slice(4) + plain.slice(0, 4)) {
    const value = parseInt(letter, 36);
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97;
  }
  return rest;
}
