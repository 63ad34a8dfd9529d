// Writes index.html and the manifest: the page that stands before any script has run.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { source } from './paths.mjs';

/** @param preloads what the script imports: read beside it, and not after it. */
export function shell(target, files, preloads, name = 'index.html') {
  let page = readFileSync(join(source, 'app', 'index.html'), 'utf8');
  for (const [key, path] of Object.entries(files)) page = page.replaceAll(`{{${key}}}`, `/${path}`);
  const links = preloads.map((path) => `<link rel="modulepreload" href="${path}">`);
  page = page.replace('{{preloads}}', links.join(''));
  writeFileSync(join(target, name), page.replace(/>\s+</g, '><'));
  const manifest = {
    id: '/', name: 'EZWallet', short_name: 'EZWallet', start_url: '/', scope: '/',
    display: 'standalone', background_color: '#f6f4ef', theme_color: '#f6f4ef',
    categories: ['finance'],
    icons: [
      { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' },
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any maskable' },
    ],
    shortcuts: [{ name: 'Add', url: '/transactions/new' }],
  };
  writeFileSync(join(target, 'manifest.webmanifest'), JSON.stringify(manifest));
}
