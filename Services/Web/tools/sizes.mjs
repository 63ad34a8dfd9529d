// Holds what was built against the byte budgets of the design; brotli sizes.
import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

const KB = 1024;
export const budgets = {
  script: 110 * KB,
  style: 12 * KB,
  font: 44 * KB,
  first: 170 * KB,
  screen: 25 * KB,
  map: 40 * KB,
};

/** The bytes that go over the wire: the brotli file if there is one. */
const brotli = (file) => statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size;

/** The scripts that load with the first one, by their addresses; the first one itself is left out. */
export function preloadsOf({ outputs }, entry) {
  const main = Object.keys(outputs).find((name) => outputs[name].entryPoint?.endsWith(entry));
  return [...closure(outputs, main)].slice(1).map((name) => `/assets/${basename(name)}`);
}

/** The scripts that load with `name`: itself and its static imports. */
function closure(outputs, name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const { path, kind } of outputs[name].imports) {
    if (kind === 'import-statement' && outputs[path]) closure(outputs, path, seen);
  }
  return seen;
}

/** @returns lines to print, and the budgets that are exceeded. */
export function sizes(metafile, folder, files) {
  const { outputs } = metafile;
  const measured = new Map();
  const size = (name) => {
    if (!measured.has(name)) measured.set(name, brotli(join(folder, 'assets', basename(name))));
    return measured.get(name);
  };
  const sum = (names) => [...names].reduce((total, name) => total + size(name), 0);
  const main = Object.keys(outputs).find((name) => outputs[name].entryPoint?.endsWith('app/main.tsx'));
  const first = closure(outputs, main);
  const script = sum(first);
  const style = brotli(join(folder, files.style));
  const font = brotli(join(folder, files.font));
  const shell = brotli(join(folder, 'index.html')) + brotli(join(folder, files.sprite));
  const language = Object.keys(outputs).filter((name) => /words\.\w\w-/.test(basename(name)));
  const words = Math.max(0, ...language.map(size));
  const lines = [];
  const over = [];
  const check = (what, bytes, most) => {
    lines.push(`${what.padEnd(34)} ${(bytes / KB).toFixed(1).padStart(6)} KB of ${most / KB}`);
    if (bytes > most) over.push(what);
  };
  check('first load, script', script + words, budgets.script);
  check('first load, style', style, budgets.style);
  check('first load, font', font, budgets.font);
  check('first load, all', script + words + style + font + shell, budgets.first);
  for (const [name, output] of Object.entries(outputs)) {
    const source = output.entryPoint ?? '';
    if (!source || name === main || language.includes(name) || !name.endsWith('.js')) continue;
    const own = [...closure(outputs, name)].filter((part) => !first.has(part));
    const isMap = source.endsWith('ui/map.tsx');
    check(
      `screen ${source.replace(/^.*src\//, '')}`,
      sum(own),
      isMap ? budgets.map : budgets.screen,
    );
  }
  return { lines, over };
}
