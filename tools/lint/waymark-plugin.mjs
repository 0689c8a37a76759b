/** Lint rules of our own. Each has a fixture in `fixtures/` that must fail. */
import { isAbsolute, relative, resolve, dirname, sep } from 'node:path';

/**
 * `src/core/` imports its own files, `@waymark/contracts` with its subpaths and `@waymark/record`, which stands behind
 * the same fence; nothing else, not even types. `also` names packages that are pure and may be used besides.
 */
const coreImports = {
  meta: {
    type: 'problem',
    schema: [
      {
        type: 'object',
        properties: { folder: { type: 'string' }, also: { type: 'array', items: { type: 'string' } } },
        additionalProperties: false,
      },
    ],
    defaultOptions: [{ folder: 'src/core', also: [] }],
    messages: {
      outside: "a core is pure: it imports @waymark/contracts, @waymark/record and its own files, not '{{from}}'",
    },
  },
  create(context) {
    const [{ folder, also }] = context.options;
    const marker = `${sep}${folder.split('/').join(sep)}${sep}`;
    const at = context.filename.lastIndexOf(marker);
    const core = context.filename.slice(0, at + marker.length);
    const check = (node, source) => {
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
      const from = source.value;
      if (/^@waymark\/(contracts|record)(\/|$)/.test(from) || also.includes(from)) return;
      if (from.startsWith('.')) {
        const inside = relative(core, resolve(dirname(context.filename), from));
        if (!inside.startsWith('..') && !isAbsolute(inside)) return;
      }
      context.report({ node, messageId: 'outside', data: { from } });
    };
    return {
      ImportDeclaration: (node) => check(node, node.source),
      ExportNamedDeclaration: (node) => check(node, node.source),
      ExportAllDeclaration: (node) => check(node, node.source),
      ImportExpression: (node) => check(node, node.source),
      TSImportType: (node) => check(node, node.argument?.literal ?? node.argument ?? node.source),
      TSExternalModuleReference: (node) => check(node, node.expression),
    };
  },
};

/** The environment is read once, in `config.ts`: `process.env` under any name is refused elsewhere. */
const environmentInConfig = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { elsewhere: 'the environment is read in config.ts only: take the value from the configuration' },
  },
  create(context) {
    const report = (node) => context.report({ node, messageId: 'elsewhere' });
    const isProcess = (node) =>
      (node?.type === 'Identifier' && node.name === 'process') ||
      (node?.type === 'MemberExpression' && node.object.name === 'globalThis' && nameOf(node) === 'process');
    const nameOf = (node) => (node.computed ? node.property.value : node.property.name);
    return {
      MemberExpression(node) {
        if (isProcess(node.object) && nameOf(node) === 'env') report(node);
      },
      VariableDeclarator(node) {
        if (!isProcess(node.init) || node.id.type !== 'ObjectPattern') return;
        for (const part of node.id.properties)
          if (part.key?.name === 'env' || part.type === 'RestElement') report(part);
      },
      ImportDeclaration(node) {
        if (node.source.value !== 'node:process' && node.source.value !== 'process') return;
        for (const part of node.specifiers) {
          // A default or namespace import under another name would hide the rest of the file from this rule.
          const hides = part.type !== 'ImportSpecifier' && part.local.name !== 'process';
          if (hides || part.imported?.name === 'env') report(part);
        }
      },
    };
  },
};

export default {
  meta: { name: 'waymark' },
  rules: { 'core-imports': coreImports, 'environment-in-config': environmentInConfig },
};
