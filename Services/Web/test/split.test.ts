import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proportional } from '../src/domain/division';
import { daysSince1970 } from '../src/domain/days';
import { split, splitItems, type Part, type SplitKind } from '../src/domain/split';

/** The six examples of the API document, in the order in which it shows them. */
const examples: [bigint, string, bigint[], bigint[]][] = [
  [1000n, '2026-11-28', [1n, 1n, 1n], [333n, 333n, 334n]],
  [1000n, '2026-11-29', [1n, 1n, 1n], [334n, 333n, 333n]],
  [-1000n, '2026-11-28', [1n, 1n, 1n], [-333n, -333n, -334n]],
  [1000n, '1900-01-02', [1n, 1n, 1n], [333n, 334n, 333n]],
  [10000n, '2026-11-28', [33333333n, 33333333n, 33333334n], [3333n, 3333n, 3334n]],
  [6n, '2026-11-27', [100n, 50n, 50n], [3n, 2n, 1n]],
];

const shares = (
  amount: string, kind: SplitKind, values: (string | undefined)[], day = '2026-11-28',
): string[] | string => {
  const parts: Part[] = values.map((value, index) => ({ memberId: `m${index}`, value }));
  const result = split({ amount, currency: 'EUR' }, day, kind, parts);
  return result.kind === 'shares' ? result.shares.map((share) => share.amount) : result.fault.kind;
};

test('documentedExamplesAreWhatIsDivided', () => {
  for (const [units, day, weights, expected] of examples) {
    assert.deepEqual(proportional(units, weights, daysSince1970(day)), expected, day);
  }
});

test('sharesSumToTheAmount', () => {
  for (let round = 0; round < 500; round++) {
    const weights = Array.from(
      { length: 1 + (round % 9) },
      (_, i) => BigInt(((round * 31 + i * 17) % 50) + 1),
    );
    const units = BigInt(round * 7919 - 1_000_000);
    const sum = proportional(units, weights, round).reduce((total, share) => total + share, 0n);
    assert.equal(sum, units);
  }
});

test('equalSplitNamesWhoGetsTheOddCent', () => {
  const parts = ['a', 'b', 'c'].map((memberId) => ({ memberId }));
  const result = split({ amount: '10.00', currency: 'EUR' }, '2026-11-28', 'equal', parts);
  assert.deepEqual(result.kind === 'shares' && result.odd, ['c']);
});

test('exactAndPercentSayWhatIsLeft', () => {
  const left = split(
    { amount: '10.00', currency: 'EUR' },
    '2026-11-28',
    'exact',
    [{ memberId: 'a', value: '7.50' }],
  );
  assert.deepEqual(left, { kind: 'fault', fault: { kind: 'left', left: '2.50', unit: 'money' } });
  const percent = split(
    { amount: '10.00', currency: 'EUR' },
    '2026-11-28',
    'percent',
    [{ memberId: 'a', value: '60' }],
  );
  assert.deepEqual(
    percent,
    { kind: 'fault', fault: { kind: 'left', left: '40', unit: 'percent' } },
  );
  assert.deepEqual(shares('10.00', 'percent', ['60', '40']), ['6.00', '4.00']);
});

test('sharesTakeTwoDecimals', () => {
  assert.deepEqual(
    shares('0.06', 'shares', ['1', '0.5', '0.5'], '2026-11-27'),
    ['0.03', '0.02', '0.01'],
  );
  assert.equal(shares('1.00', 'shares', ['1.234']), 'not-a-number');
  assert.equal(shares('1.00', 'shares', ['0', '0']), 'nobody');
});

test('adjustmentsComeOnTop', () => {
  assert.deepEqual(shares('10.00', 'adjustment', ['4', undefined]), ['7.00', '3.00']);
  assert.equal(shares('10.00', 'adjustment', ['11', undefined]), 'below-nothing');
  // The odd cent of the rest follows the turn of the whole amount: (20785 + 1000) mod 3 is 2.
  assert.deepEqual(
    shares('10.00', 'adjustment', ['0.03', undefined, undefined]),
    ['3.35', '3.32', '3.33'],
  );
});

test('itemsAreDividedByWhoHadThem', () => {
  const item = (
    amount: string,
    ...memberIds: string[]
  ) => ({ amount: { amount, currency: 'EUR' }, memberIds });
  const result = splitItems(
    { amount: '33.00', currency: 'EUR' },
    '2026-11-28',
    [item('20.00', 'a', 'b'), item('10.00', 'c')],
  );
  assert.deepEqual(
    result.kind === 'shares' && result.shares.map((share) => share.amount),
    ['11.00', '11.00', '11.00'],
  );
});

test('nobodyBearsNothing', () => {
  assert.equal(shares('10.00', 'equal', []), 'nobody');
});
