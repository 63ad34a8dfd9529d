import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDay, longDay, monthGrid, readDay, relativeDay } from '../src/domain/dates';
import { addMonths, daysSince1970, today, weekday } from '../src/domain/days';

const TODAY = '2026-11-28';
const read = (text: string, locale = 'en', format: 'dd/MM/yyyy' | 'MM/dd/yyyy' = 'dd/MM/yyyy') =>
  readDay(text, TODAY, format, locale);

test('typedDaysAreRead', () => {
  assert.equal(read('today'), TODAY);
  assert.equal(read('Ieri', 'it'), '2026-11-27');
  assert.equal(read('-3'), '2026-11-25');
  assert.equal(read('12/11'), '2026-11-12');
  assert.equal(read('12.11.25'), '2025-11-12');
  assert.equal(read('11/12', 'en', 'MM/dd/yyyy'), '2026-11-12');
  assert.equal(read('2026-02-28'), '2026-02-28');
  assert.equal(read('5'), '2026-11-05');
});

test('dayWithoutYearIsTheNearest', () => {
  assert.equal(readDay('20/12', '2026-01-05', 'dd/MM/yyyy', 'en'), '2025-12-20');
  assert.equal(readDay('3/2', '2026-01-05', 'dd/MM/yyyy', 'en'), '2026-02-03');
});

test('badDaysAreRefused', () => {
  for (const text of [
    '31/02',
    '30.2.2026',
    'soon',
    '1/2/3/4',
    '0/1',
  ]) assert.equal(read(text), undefined, text);
  assert.throws(() => daysSince1970('2026-02-30'), /no day/);
});

test('daysAreWrittenInTheUsersFormat', () => {
  assert.equal(formatDay(TODAY, 'dd.MM.yyyy'), '28.11.2026');
  assert.equal(formatDay(TODAY, 'MM/dd/yyyy'), '11/28/2026');
});

test('nearDaysAreWords', () => {
  assert.equal(relativeDay(TODAY, TODAY, 'en'), 'Today');
  assert.equal(relativeDay('2026-11-27', TODAY, 'de'), 'Gestern');
  assert.equal(relativeDay('2026-11-24', TODAY, 'en'), 'Tuesday');
  assert.equal(relativeDay('2026-11-01', TODAY, 'en-GB'), '1 Nov');
  assert.equal(relativeDay('2025-11-01', TODAY, 'en-GB'), '1 Nov 2025');
  assert.equal(longDay('2026-11-27', TODAY, 'en-GB'), 'Friday 27 November');
});

test('monthsAreAddedAndDrawnInWholeWeeks', () => {
  assert.equal(addMonths('2026-01-31', 1), '2026-02-28');
  assert.equal(addMonths('2026-03-31', -1), '2026-02-28');
  const grid = monthGrid(TODAY);
  assert.equal(grid.length % 7, 0);
  assert.equal(grid[0], '2026-10-26');
  assert.equal(grid[grid.length - 1], '2026-12-06');
  assert.equal(weekday(TODAY), 6);
});

test('todayIsWhereTheUserIs', () => {
  const now = new Date('2026-11-27T23:30:00Z');
  assert.equal(today('Europe/Rome', now), '2026-11-28');
  assert.equal(today('America/New_York', now), '2026-11-27');
});
