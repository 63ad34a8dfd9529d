import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { match, namesIn, type Route } from '../src/app/router';

const root = process.env.EZWALLET_WEB ?? process.cwd();

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (path === 'src/generated') return [];
    return statSync(join(root, path)).isDirectory() ? filesBelow(path) : [path];
  });
}

const sources = [
  'src',
  'test',
  'tools',
  'components',
].flatMap(filesBelow).filter((path) => !/\.(json|svg)$/.test(path));
const code = sources.filter((path) => /^src\/.*\.tsx?$/.test(path));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Which layer may import which; `generated` is words, icons and the API's types. */
const below: Readonly<Record<string, readonly string[]>> = {
  app: ['features', 'ui', 'api', 'domain', 'generated'],
  features: ['ui', 'api', 'domain', 'generated'],
  ui: ['domain', 'generated'],
  api: ['domain', 'generated'],
  domain: [],
  worker: [],
};

/** The folder below `src` of what a file imports; nothing for packages. */
function importsOf(path: string): string[] {
  const found = [...read(path).matchAll(/(?:from|import) ?\(?'(\.[^']+)'/g)];
  return found.map((one) => join(dirname(path), one[1] ?? '').replace(/^src\//, ''));
}

test('importsGoDownOnly', () => {
  for (const path of code) {
    const layer = path.split('/')[1] ?? '';
    for (const target of importsOf(path)) {
      const to = target.split('/')[0] ?? '';
      assert.ok(to === layer || below[layer]?.includes(to), `${path} imports ${target}`);
    }
  }
});

test('componentsKnowNothingOfTheApi', () => {
  for (const path of code.filter((one) => one.startsWith('src/ui/'))) {
    assert.ok(!importsOf(path).includes('generated/api'), path);
  }
});

test('featuresDoNotImportEachOther', () => {
  for (const path of code.filter((one) => one.startsWith('src/features/'))) {
    const own = path.split('/')[2];
    for (const target of importsOf(path)) {
      const [layer, feature] = target.split('/');
      assert.ok(layer !== 'features' || feature === own, `${path} imports ${target}`);
    }
  }
});

test('filesAreShort', () => {
  for (const path of sources) {
    const lines = read(path).split('\n').length;
    assert.ok(lines <= 250, `${path} has ${lines} lines`);
  }
});

test('nothingWritesHtmlOrGivesUpTypes', () => {
  const banned = /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySet|document\.write|\beval\(|new Function|: any\b|as any\b|<any>|@ts-(ignore|nocheck)|target="_blank"/;
  for (const path of code) assert.ok(!banned.test(read(path)), path);
});

test('pageHasNoInlineScriptOrStyle', () => {
  const page = read('src/app/index.html');
  assert.ok(!/<script(?![^>]*src=)|<style| style=| on\w+=/.test(page));
});

test('routesMatchTheirNames', () => {
  assert.deepEqual(namesIn('/accounts/{id}', '/accounts/a%20b'), { id: 'a b' });
  assert.equal(namesIn('/accounts/{id}', '/accounts/'), undefined);
  assert.equal(namesIn('/accounts/{id}', '/accounts/%E0%A4%A'), undefined);
  const route = (path: string): Route => ({
    path,
    for: 'user',
    title: () => path,
    load: () => Promise.reject(new Error('none')),
  });
  const routes = [route('/transactions/{id}'), route('/transactions/new'), route('/')];
  assert.equal(match(routes, '/transactions/new')?.route.path, '/transactions/new');
  assert.equal(match(routes, '/transactions/7')?.params.id, '7');
  assert.equal(match(routes, '/')?.route.path, '/');
  assert.equal(match(routes, '/nowhere'), undefined);
});
