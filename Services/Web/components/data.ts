import type { Money } from '../src/domain/units';

export const eur = (amount: string): Money => ({ amount, currency: 'EUR' });
export const TODAY = '2026-11-28';

export const categories = [
  { id: 'groceries', name: 'Groceries', color: '#1f77b4', symbol: 'cart' },
  { id: 'restaurants', name: 'Restaurants', color: '#d62728', symbol: 'restaurant' },
  { id: 'transport', name: 'Transport', color: '#2ca02c', symbol: 'bus' },
  { id: 'coffee', name: 'Coffee', color: '#8c564b', symbol: 'coffee' },
  { id: 'leisure', name: 'Leisure', color: '#e377c2', symbol: 'film' },
  { id: 'health', name: 'Health', color: '#9467bd', symbol: 'health' },
  { id: 'gifts', name: 'Gifts', color: '#bcbd22', symbol: 'gift' },
  { id: 'rent', name: 'Rent and home', color: '#ff7f0e', symbol: 'key' },
  { id: 'pets', name: 'Pets', color: '#17becf', symbol: 'pet' },
  { id: 'tax', name: 'Taxes', color: '#393b79', symbol: 'tax' },
  { id: 'others', name: 'Others', color: '#808080', symbol: 'no-such-symbol' },
];

export const members = [
  { id: 'you', name: 'You' },
  { id: 'sofia', name: 'Sofia Krause' },
  { id: 'marco', name: 'Marco Bianchi' },
  { id: 'ana', name: 'Ana Popescu-Constantinescu' },
];

export const slices = [
  ['Groceries', '334.20', '33.9'], [
    'Rent and home',
    '218.00',
    '22.1',
  ], ['Restaurants', '176.85', '17.9'],
  [
    'Transport',
    '118.30',
    '12.0',
  ], ['Leisure', '68.80', '7.0'], ['Gifts', '24.90', '2.5'], ['Health', '20.25', '2.1'],
  ['Coffee', '15.10', '1.5'], ['Pets', '10.00', '1.0'],
].map(([name = '', amount = '', percent = '']) => ({ id: name, name, amount: eur(amount), percent, to: `?category=${name}` }));
