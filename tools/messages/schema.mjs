/** Shapes of the contracts as JSON Schema (draft 7, which AsyncAPI reads), and as rows of a table for people. */
import { z } from 'zod';

/**
 * @typedef {{ [key: string]: any }} Schema
 * @typedef {{ name: string, type: string, meaning: string }} Row
 */

/** Shapes with a name of their own, gathered while schemas are made. */
export class Shapes {
  /** @type {Record<string, Schema>} */
  #named = {};

  /** By name, in alphabetical order. */
  get named() {
    return Object.fromEntries(Object.entries(this.#named).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** What a caller must send: unknown fields are refused. @param {z.ZodType} type */
  request(type) {
    return this.#schema(type, 'input');
  }

  /** What a caller gets: fields may be added within a version. @param {z.ZodType} type */
  reply(type) {
    return this.#schema(type, 'output');
  }

  /** @param {z.ZodType} type @param {'input' | 'output'} io */
  #schema(type, io) {
    const { definitions = {}, ...schema } = tidy(z.toJSONSchema(type, { io, target: 'draft-7' }), io === 'output');
    delete schema.$schema;
    for (const [name, shape] of Object.entries(definitions)) this.#named[name] = shape;
    const own = z.globalRegistry.get(type)?.id;
    if (own === undefined || schema.$ref) return schema;
    this.#named[own] = schema;
    return { $ref: refTo(own) };
  }
}

/** @param {string} name */
const refTo = (name) => `#/components/schemas/${name}`;

/** @param {any} value @param {boolean} open @returns {any} */
function tidy(value, open) {
  if (Array.isArray(value)) return value.map((entry) => tidy(entry, open));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key, entry]) => !(open && key === 'additionalProperties' && entry === false))
    .filter(([key, entry]) => !(/^(minimum|maximum)$/.test(key) && Math.abs(Number(entry)) === Number.MAX_SAFE_INTEGER))
    .filter(([key]) => key !== 'id' && key !== 'propertyNames')
    .map(([key, entry]) => {
      if (key === '$ref') return [key, String(entry).replace('#/definitions/', refTo(''))];
      return [key, key === 'properties' ? properties(entry, open) : tidy(entry, open)];
    });
  const tidied = Object.fromEntries(entries);
  // The pattern repeats what the format says.
  if (tidied.format === 'uuid') delete tidied.pattern;
  return tidied;
}

/** Names of fields are no keywords. @param {any} fields @param {boolean} open */
const properties = (fields, open) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, tidy(field, open)]));

/**
 * The fields of an object, those of objects within it below them.
 * @param {Schema} schema @param {string} [prefix] @returns {Row[]}
 */
export function rowsOf(schema, prefix = '') {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const type = typeOf(field);
    const optional = field.default !== undefined ? defaultOf(field.default) : required.has(name) ? '' : 'optional';
    const meaning = [field.description, optional].filter(Boolean).join('; ');
    const inner = objectIn(field);
    const step = inner && inner !== objectIn({ ...field, items: undefined }) ? `${path}[].` : `${path}.`;
    return [{ name: path, type, meaning }, ...(inner ? rowsOf(inner, step) : [])];
  });
}

/** @param {unknown} value */
const defaultOf = (value) => `default \`${JSON.stringify(value)}\``;

/** The object whose fields are told below this one. @param {Schema} field @returns {Schema | undefined} */
function objectIn(field) {
  if (field.properties) return field;
  if (field.items && !Array.isArray(field.items)) return objectIn(field.items);
  return (field.anyOf ?? []).map(objectIn).find(Boolean);
}

/** @param {Schema} field @returns {string} */
export function typeOf(field) {
  if (field.$ref) return linkTo(field.$ref);
  if (field.allOf?.length === 1) return typeOf(field.allOf[0]);
  if (field.const !== undefined) return `\`${field.const}\``;
  if (field.enum) return field.enum.map((/** @type {unknown} */ value) => `\`${value}\``).join(', ');
  const choices = field.anyOf ?? field.oneOf;
  if (choices) return choices.map(typeOf).join(' or ');
  if (Array.isArray(field.type)) return field.type.join(' or ');
  if (field.type === 'array') {
    if (Array.isArray(field.items)) return `[${field.items.map(typeOf).join(', ')}]`;
    return `list of ${typeOf(field.items ?? {})}${bounds(field.minItems, field.maxItems, '')}`;
  }
  if (field.type === 'string') {
    if (field.format === 'uuid') return 'UUID';
    const pattern = field.pattern ? ` like \`${field.pattern}\`` : '';
    return `string${pattern}${bounds(field.minLength, field.maxLength, ' characters')}`;
  }
  if (field.type === 'integer' || field.type === 'number') {
    return `${field.type}${bounds(field.minimum, field.maximum, '')}`;
  }
  return field.type ?? 'anything';
}

/** @param {string} ref */
const linkTo = (ref) => {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return `[${name}](#${name.toLowerCase()})`;
};

/** @param {number | undefined} least @param {number | undefined} most @param {string} unit */
function bounds(least, most, unit) {
  if (most !== undefined) return `, ${least === undefined || least === 0 ? 'at most ' : `${least} to `}${most}${unit}`;
  return least !== undefined && least > 0 ? `, at least ${least}${unit}` : '';
}
