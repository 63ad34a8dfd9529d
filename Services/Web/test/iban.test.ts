import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ibanState, shortIban, spacedIban } from '../src/domain/iban';

test('rightIbanIsRight', () => {
  assert.equal(ibanState('IT60 X054 2811 1010 0000 0123 456'), 'right');
  assert.equal(ibanState('de89370400440532013000'), 'right');
});

test('otherDigitIsWrong', () => {
  assert.equal(ibanState('IT60 X054 2811 1010 0000 0123 457'), 'wrong');
  assert.equal(ibanState('12'), 'wrong');
  assert.equal(ibanState('DE893704004405320130001'), 'wrong');
});

test('shortOneIsIncomplete', () => {
  assert.equal(ibanState(''), 'empty');
  assert.equal(ibanState('IT60 X054'), 'incomplete');
});

test('ibanIsWrittenInFours', () => {
  assert.equal(spacedIban('IT60X0542811101000000123456'), 'IT60 X054 2811 1010 0000 0123 456');
  assert.equal(shortIban('IT60X0542811101000000123456'), 'IT60 … 3456');
});
