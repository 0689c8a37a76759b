import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@waymark/testing';
import { LEAST_NODE, nodeProblem } from './node-version.js';

describe('the version of Node', () => {
  it('that is too old is named with the remedy; the needed one and newer ones will do', () => {
    expect(nodeProblem('20.20.2')).toBe(
      'Node 20.20.2: too old, the services need Node 24 or newer; start it by node_modules/.bin/node from the ' +
        'repository root',
    );
    expect(['24.0.0', '24.21.0', '100.0.0'].map(nodeProblem)).toEqual([undefined, undefined, undefined]);
  });

  it('that is asked for is the one that the repository pins', () => {
    const root = JSON.parse(readFileSync(join(workspaceRoot(), 'package.json'), 'utf8')) as {
      devDependencies: { node: string };
    };
    expect(Number.parseInt(root.devDependencies.node, 10)).toBe(LEAST_NODE);
  });
});
