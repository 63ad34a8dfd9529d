// Bundles each file of test/ and runs it in node's own test runner.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { modules, root } from './paths.mjs';

const target = join(root, '..', '..', '.local', 'web', 'test');
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const files = readdirSync(join(root, 'test')).filter((name) => name.endsWith('.test.ts'));
const env = { ...process.env, NODE_PATH: modules, EZWALLET_WEB: root };
const steps = [
  ['esbuild', ...files.map((name) => join(root, 'test', name)), '--bundle', '--platform=node',
    '--format=esm', '--out-extension:.js=.mjs', '--log-level=warning', `--outdir=${target}`],
  ['node', '--test', target],
];
for (const [command, ...options] of steps) {
  const { status } = spawnSync(command, options, { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
