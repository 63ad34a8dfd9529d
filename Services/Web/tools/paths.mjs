// The paths of what Debian's packages install, and of our own folders.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const source = join(root, 'src');
// Generated sources stand in the tree, where the compiler looks for them, and are not committed.
export const generated = join(source, 'generated');
export const modules = '/usr/share/nodejs';
export const leaflet = '/usr/share/javascript/leaflet';
export const font = '/usr/share/fonts/truetype/inter-vf/Inter-roman.var.ttf';
export const languages = ['en', 'it', 'de', 'fr', 'es', 'ro'];
