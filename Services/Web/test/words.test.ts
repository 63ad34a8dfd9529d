import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as words from '../src/generated/words';
import { texts as english } from '../src/generated/words.en';
import { texts as romanian } from '../src/generated/words.ro';
import { texts as german } from '../src/generated/words.de';
import { listOf, speak } from '../src/ui/words';

test('pluralsFollowTheLanguage', () => {
  speak('en', english);
  assert.equal(words.offlineWaiting({ count: 1 }), '1 not sent yet.');
  speak('ro', romanian);
  assert.equal(words.deleted({ count: 2 }), '2 șterse.');
  assert.equal(words.deleted({ count: 20 }), '20 de șterse.');
});

test('valuesAreSetInAsTheyAre', () => {
  speak('de', german);
  assert.equal(
    words.addSaveIn({ amount: '23,50 €', category: '{amount} <b>' }),
    '23,50 € in {amount} <b> speichern',
  );
  assert.equal(listOf(['A', 'B', 'C']), 'A, B und C');
});
