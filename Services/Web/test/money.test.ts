import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAmount } from '../src/domain/amount';
import { formatMoney, moneyParts } from '../src/domain/money';
import { decimalOf, sum, unitsOf } from '../src/domain/units';

const read = (text: string, currency = 'EUR'): string => {
  const found = readAmount(text, currency);
  return found.kind === 'amount' ? found.amount : found.kind === 'fault' ? found.fault : 'empty';
};

test('commaAndPointAreBothDecimals', () => {
  assert.equal(read('12,5'), '12.50');
  assert.equal(read('12.50'), '12.50');
  assert.equal(read(',5'), '0.50');
  assert.equal(read('12.'), '12.00');
});

test('threeDigitsAfterTheOnlySeparatorAreAGroup', () => {
  assert.equal(read('1.234'), '1234.00');
  assert.equal(read('1,234,567'), '1234567.00');
  assert.equal(read('1.250', 'KWD'), '1.250');
  assert.equal(read('1,240', 'JPY'), '1240');
});

test('theLastSeparatorOfTwoKindsIsTheDecimal', () => {
  assert.equal(read('1.234,56'), '1234.56');
  assert.equal(read("1'234.5"), '1234.50');
  assert.equal(read('1,234.567'), 'too-many-decimals');
});

test('sumsAreAdded', () => {
  assert.equal(read('12+7.50'), '19.50');
  assert.equal(read('20 - 0,01'), '19.99');
  assert.equal(read('5-6'), 'below-zero');
});

test('badAmountsAreFaults', () => {
  assert.equal(read(''), 'empty');
  assert.equal(read('12,3456'), 'too-many-decimals');
  assert.equal(read('1.2', 'JPY'), 'too-many-decimals');
  assert.equal(read('abc'), 'not-a-number');
  assert.equal(read('1..2'), 'not-a-number');
  assert.equal(read('99999999999999'), 'too-large');
});

test('amountsKeepEveryDigit', () => {
  const amount = { amount: '-9007199254740993.07', currency: 'EUR' };
  assert.equal(formatMoney(amount, 'en'), '−€9,007,199,254,740,993.07');
  assert.equal(decimalOf(unitsOf('-0.05', 2), 2), '-0.05');
  assert.throws(() => unitsOf('1.234', 2), /more than 2/);
});

test('currenciesHaveTheirOwnDecimals', () => {
  assert.equal(formatMoney({ amount: '1240', currency: 'JPY' }, 'en'), '¥1,240');
  assert.equal(formatMoney({ amount: '1.250', currency: 'KWD' }, 'en'), 'KWD\u00a01.250');
  assert.equal(formatMoney({ amount: '1.250', currency: 'IQD' }, 'en'), 'IQD\u00a01.250');
  assert.equal(formatMoney({ amount: '12.50', currency: 'EUR' }, 'de'), '12,50\u00a0€');
});

test('signsAreTrueMinusAndPlus', () => {
  assert.equal(formatMoney({ amount: '-12.50', currency: 'EUR' }, 'de'), '−12,50\u00a0€');
  assert.equal(formatMoney({ amount: '12.50', currency: 'EUR' }, 'en', 'always'), '+€12.50');
  assert.equal(formatMoney({ amount: '0.00', currency: 'EUR' }, 'en', 'always'), '€0.00');
});

test('decimalsStandApart', () => {
  const parts = moneyParts({ amount: '12480.52', currency: 'EUR' }, 'en');
  assert.deepEqual(parts, { before: '€12,480', fraction: '.52', after: '' });
});

test('sumsOfMoneyAreExact', () => {
  const amounts = ['0.10', '0.20', '-0.05'].map((amount) => ({ amount, currency: 'EUR' }));
  assert.deepEqual(sum(amounts, 'EUR'), { amount: '0.25', currency: 'EUR' });
});
