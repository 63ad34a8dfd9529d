// Builds the client: src to a folder of hashed files. `deploy/build-web` runs it.
//
// usage: build.mjs TARGET [--components] [--no-check]
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { font as fontSource, generated, modules, root, source } from './paths.mjs';
import { shell } from './shell.mjs';
import { preloadsOf, sizes } from './sizes.mjs';
import { iconNames, sprite } from './sprite.mjs';
import { typesSource } from './types.mjs';
import { wordsSources } from './words.mjs';

const run = promisify(execFile);
const [wanted, ...flags] = process.argv.slice(2);
// Built beside its place and moved there whole: whoever serves it never sees half of a build.
const target = `${wanted}.part`;
const cache = join(root, '..', '..', '.local', 'web');
const withComponents = flags.includes('--components');

/** Writes only what changed, so that compilers see no new file. */
function write(path, text) {
  if (fs.existsSync(path) && fs.readFileSync(path, 'utf8') === text) return;
  fs.writeFileSync(path, text);
}

function generate() {
  fs.mkdirSync(generated, { recursive: true });
  write(join(generated, 'api.ts'), typesSource());
  for (const [name, text] of Object.entries(wordsSources())) write(join(generated, name), text);
  write(join(generated, 'icons.ts'), iconNames());
  write(join(generated, 'sprite.svg'), sprite());
}

/** The font's subset; made again only when the font or the script changes. */
async function subset() {
  const script = join(root, 'tools', 'font.py');
  const hash = createHash('sha256');
  for (const file of [script, fontSource]) hash.update(fs.readFileSync(file));
  const kept = join(cache, `inter-${hash.digest('hex').slice(0, 16)}.woff2`);
  if (!fs.existsSync(kept)) {
    fs.mkdirSync(cache, { recursive: true });
    await run('/usr/bin/python3', [script, fontSource, `${kept}.part`]);
    fs.renameSync(`${kept}.part`, kept);
  }
  write(join(generated, 'font.css'), fontFace);
  fs.copyFileSync(kept, join(generated, 'inter.woff2'));
}

const fontFace =
  '@font-face { font-family: "Inter"; font-weight: 400 700; font-display: swap; ' +
  'src: url("./inter.woff2") format("woff2"); }\n';

function esbuild(...options) {
  return new Promise((resolve, reject) => {
    const child = spawn('esbuild', options, {
      env: { ...process.env, NODE_PATH: modules },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (part) => (said += part));
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(said))));
  });
}

const common = [
  '--bundle', '--minify', '--target=es2021', '--log-level=warning', '--legal-comments=none',
  '--charset=utf8', '--define:process.env.NODE_ENV="production"', '--jsx=automatic',
];

async function bundle() {
  const entries = [join(source, 'app', 'main.tsx')];
  if (withComponents) entries.push(join(root, 'components', 'components.tsx'));
  await esbuild(
    ...entries, ...common, '--format=esm', '--splitting', `--outdir=${join(target, 'assets')}`,
    '--entry-names=[name]-[hash]', '--chunk-names=[name]-[hash]', '--asset-names=[name]-[hash]',
    '--alias:leaflet=/usr/share/javascript/leaflet/leaflet.esm.js', '--loader:.svg=file', '--loader:.woff2=file', '--public-path=/assets',
    `--metafile=${join(target, 'meta.json')}`,
  );
  const meta = JSON.parse(fs.readFileSync(join(target, 'meta.json'), 'utf8'));
  fs.rmSync(join(target, 'meta.json'));
  return meta;
}

/** The service worker knows every hashed file; its own name stays the same. */
async function worker(files) {
  const hash = createHash('sha256').update(files.join()).update(fs.readFileSync(join(target, 'index.html')));
  await esbuild(
    join(source, 'worker', 'worker.ts'), ...common, `--outfile=${join(target, 'worker.js')}`,
    `--define:FILES=${JSON.stringify(files)}`,
    `--define:BUILD=${JSON.stringify(hash.digest('hex').slice(0, 12))}`,
  );
  await esbuild(
    join(source, 'worker', 'removal.ts'), ...common, `--outfile=${join(target, 'removal.js')}`,
  );
}

/** The client's own paths, for the gateway: it answers them with index.html. */
function routePaths() {
  const text = fs.readFileSync(join(source, 'app', 'routes.ts'), 'utf8');
  const paths = [...text.matchAll(/^ {2}(?:gate|user)\('([^']+)'/gm)].map((match) => match[1]);
  const screens = [...text.matchAll(/import\('/g)].length;
  if (paths.length !== screens) throw new Error('routes.ts: each screen is one line with its path');
  return paths;
}

async function icons() {
  const picture = join(source, 'app', 'icon.svg');
  fs.copyFileSync(picture, join(target, 'icon.svg'));
  await Promise.all(
    [180, 192, 512].map((size) =>
      run(
        'rsvg-convert',
        ['-w', size, '-h', size, '-o', join(target, `icon-${size}.png`), picture],
      ),
    ),
  );
}

/** Brotli and gzip beside each file that gets smaller by it. */
async function compress(folder) {
  const work = [];
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    if (fs.statSync(path).isDirectory()) work.push(compress(path));
    if (!/\.(js|css|html|svg|webmanifest)$/.test(name)) continue;
    const bytes = fs.readFileSync(path);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    work.push(
      promisify(brotliCompress)(bytes, { params }).then((less) => fs.writeFileSync(`${path}.br`, less)),
      promisify(gzip)(bytes, { level: 9 }).then((less) => fs.writeFileSync(`${path}.gz`, less)),
    );
  }
  await Promise.all(work);
}

async function types() {
  try {
    const kept = join(cache, 'tsc.json');
    await run(
      'tsc',
      ['-p', root, '--pretty', 'false', '--incremental', '--tsBuildInfoFile', kept],
      { maxBuffer: 1 << 24 },
    );
  } catch (error) {
    throw new Error(error.stdout || error.message);
  }
}

async function main() {
  fs.rmSync(target, { recursive: true, force: true });
  fs.mkdirSync(join(target, 'assets'), { recursive: true });
  generate();
  await subset();
  const checked = flags.includes('--no-check') ? Promise.resolve() : types();
  checked.catch(() => {});
  const [meta] = await Promise.all([bundle(), icons()]);
  const names = fs.readdirSync(join(target, 'assets'));
  const named = (pattern) => `assets/${names.find((name) => pattern.test(name))}`;
  const files = {
    script: named(/^main-.*\.js$/), style: named(/^main-.*\.css$/),
    font: named(/^inter-.*\.woff2$/), sprite: named(/^sprite-.*\.svg$/),
  };
  shell(target, files, preloadsOf(meta, 'app/main.tsx'));
  if (withComponents) {
    const own = { script: named(/^components-.*\.js$/), style: named(/^components-.*\.css$/) };
    shell(target, { ...files, ...own }, preloadsOf(meta, 'components.tsx'), 'components.html');
  }
  fs.writeFileSync(join(target, 'routes.json'), JSON.stringify(routePaths()));
  await worker(names.map((name) => `/assets/${name}`).sort());
  await Promise.all([compress(target), checked]);
  const { lines, over } = sizes(meta, target, files);
  console.log(lines.join('\n'));
  if (over.length > 0 && !withComponents) throw new Error(`over budget: ${over.join(', ')}`);
  fs.rmSync(wanted, { recursive: true, force: true });
  fs.renameSync(target, wanted);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
