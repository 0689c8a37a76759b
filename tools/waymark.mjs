/** `npm run waymark -- …`: the CLI out of this checkout, once it is built. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const cli = join(root, 'apps/cli/dist/main.js');
if (existsSync(cli)) await import(cli);
else {
  console.error('the CLI is not built yet: `npm run demo` does all the set-up; or run `npm ci && npm run build`');
  process.exitCode = 2;
}
