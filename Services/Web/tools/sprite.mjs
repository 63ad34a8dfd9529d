// Makes one SVG file of symbols from src/ui/icons.json, and the type of their names.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { source } from './paths.mjs';

const icons = () => JSON.parse(readFileSync(join(source, 'ui', 'icons.json'), 'utf8'));

export function sprite() {
  const symbols = Object.entries(icons()).map(
    ([name, path]) => `<symbol id="${name}" viewBox="0 0 24 24"><path d="${path}"/></symbol>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>\n`;
}

export function iconNames() {
  const names = Object.keys(icons()).map((name) => JSON.stringify(name));
  return [
    '// Made by tools/sprite.mjs from src/ui/icons.json. Do not edit.',
    `export const iconNames = [${names.join(', ')}] as const;`,
    'export type IconName = (typeof iconNames)[number];',
    '',
  ].join('\n');
}
