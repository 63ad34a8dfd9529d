// Makes one typed function for each message from src/words/*.json.
//
// A text is a string with {names}, or an object with one string for each plural form; the form is
// chosen by {count}. A language that lacks a text, a plural form or a name, or has one too many,
// fails the build.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { languages, source } from './paths.mjs';

const read = (language) =>
  JSON.parse(readFileSync(join(source, 'words', `${language}.json`), 'utf8'));
const namesIn = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
const formsOf = (text) => (typeof text === 'string' ? [text] : Object.values(text));

/** The names of a message's values; a plural always has its count. */
export function namesOf(text) {
  const names = new Set(formsOf(text).flatMap(namesIn));
  if (typeof text !== 'string') names.add('count');
  return [...names].sort();
}

/** The faults of a language, in sentences. */
export function faults(english, other, language) {
  const found = [];
  const plurals = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  for (const name of Object.keys(english)) {
    const text = other[name];
    if (text === undefined) {
      found.push(`${language}: ${name} is missing`);
      continue;
    }
    if (typeof text !== typeof english[name]) found.push(`${language}: ${name} has another kind`);
    if (String(namesOf(text)) !== String(namesOf(english[name]))) {
      found.push(`${language}: ${name} has other names than en`);
    }
    if (typeof text === 'object') {
      const forms = Object.keys(text);
      // French, Spanish and Italian use «many» for millions only, which messages do not count.
      const needed = plurals.filter((form) => form !== 'many');
      for (const form of needed) {
        if (!forms.includes(form)) found.push(`${language}: ${name} lacks the form ${form}`);
      }
      for (const form of forms) {
        if (!needed.includes(form)) found.push(`${language}: ${name} has no use for ${form}`);
      }
    }
    for (const one of formsOf(text)) {
      if (one.trim() !== one || one === '') found.push(`${language}: ${name} has loose spaces`);
    }
  }
  for (const name of Object.keys(other)) {
    if (!(name in english)) found.push(`${language}: ${name} is not in en`);
  }
  return found;
}

export function wordsSources() {
  const english = read('en');
  const names = Object.keys(english).sort();
  const found = [];
  const files = {};
  for (const language of languages) {
    const texts = read(language);
    found.push(...faults(english, texts, language));
    const table = names.map((name) => texts[name] ?? '');
    files[`words.${language}.ts`] =
      "// Made by tools/words.mjs. Do not edit.\nimport type { Text } from '../ui/words';\n" +
      `export const texts: readonly Text[] = ${JSON.stringify(table)};\n`;
  }
  if (found.length > 0) throw new Error(found.join('\n'));
  const functions = names.map((name, index) => {
    const values = namesOf(english[name]);
    if (values.length === 0) return `export const ${name} = (): string => text(${index});`;
    const fields = values.map((value) => `${value}: ${value === 'count' ? 'number' : 'string'}`);
    return `export const ${name} = (values: { ${fields.join('; ')} }): string => text(${index}, values);`;
  });
  files['words.ts'] = [
    '// Made by tools/words.mjs from src/words/en.json. Do not edit.',
    "import { text } from '../ui/words';",
    '',
    ...functions,
    '',
  ].join('\n');
  return files;
}
