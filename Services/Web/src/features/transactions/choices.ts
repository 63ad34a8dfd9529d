/** The categories that the add sheet offers: one's own by use, then those of the palette. */
import {
  getPalette,
  listTransactions,
  type CategoryView,
  type OfferedCategory,
} from '../../generated/api';
import { firstTransactions } from '../../api/offline';
import { useRead } from '../../api/react';
import * as words from '../../generated/words';
import type { CategoryChoice } from '../../ui/category-picker';

/** A category to choose; an offered one is made when it is first used. */
export interface Choice extends CategoryChoice {
  readonly offered?: OfferedCategory;
}

/** The palette's names in the user's language; the API has them in English. */
const names: Readonly<Record<string, () => string>> = {
  Groceries: words.offeredGroceries,
  'Alcohol and tobacco': words.offeredAlcoholAndTobacco,
  Clothing: words.offeredClothing,
  Housing: words.offeredHousing,
  Rent: words.offeredRent,
  Utilities: words.offeredUtilities,
  Furnishings: words.offeredFurnishings,
  Health: words.offeredHealth,
  Transport: words.offeredTransport,
  Car: words.offeredCar,
  'Phone and internet': words.offeredPhoneAndInternet,
  Leisure: words.offeredLeisure,
  Sport: words.offeredSport,
  Pets: words.offeredPets,
  Education: words.offeredEducation,
  Restaurants: words.offeredRestaurants,
  Travel: words.offeredTravel,
  Insurance: words.offeredInsurance,
  'Bank fees': words.offeredBankFees,
  'Personal care': words.offeredPersonalCare,
  Children: words.offeredChildren,
  Gifts: words.offeredGifts,
  Donations: words.offeredDonations,
  Taxes: words.offeredTaxes,
  Salary: words.offeredSalary,
  Interest: words.offeredInterest,
  Refunds: words.offeredRefunds,
  Allowance: words.offeredAllowance,
  Savings: words.offeredSavings,
};

/** The symbols that most people need first; the rest keeps the palette's order. */
const first = ['cart', 'restaurant', 'bus', 'film', 'health', 'shirt', 'key', 'briefcase'];
const rank = (one: OfferedCategory): number => {
  const place = first.indexOf(one.symbol);
  return place < 0 ? first.length : place;
};

const nameOf = (offered: OfferedCategory): string => names[offered.name]?.() ?? offered.name;
const fits = (type: CategoryView['type'], wanted: 'expense' | 'income'): boolean =>
  type === 'both' || type === wanted;

export function useChoices(
  categories: readonly CategoryView[],
  wanted: 'expense' | 'income',
): readonly Choice[] {
  const offered = useRead(getPalette, {}).body?.categories ?? [];
  const known = useRead(listTransactions, firstTransactions).body?.items ?? [];
  const uses = new Map<string, number>();
  for (const one of known) uses.set(one.categoryId, (uses.get(one.categoryId) ?? 0) + 1);
  const own = categories.filter((one) => fits(one.type, wanted) && !one.default);
  own.sort((one, other) => (uses.get(other.id) ?? 0) - (uses.get(one.id) ?? 0));
  const taken = new Set(categories.map((one) => one.name.toLocaleLowerCase()));
  const more = offered
    .filter((one) => fits(one.type, wanted) && !taken.has(nameOf(one).toLocaleLowerCase()))
    .sort((one, other) => rank(one) - rank(other))
    .map((one): Choice => ({ ...one, id: `offered ${one.name}`, name: nameOf(one), offered: one }));
  // «Others» catches what has no category: it stands last.
  return [...own, ...more, ...categories.filter((one) => one.default)];
}
