// Makes the types of the API and one constant for each call from api/operations.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

const literal = (value) => JSON.stringify(value);
const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name));

export function typeOf(schema) {
  if (!schema || Object.keys(schema).length === 0) return 'unknown';
  if (schema.$ref) return `${schema.$ref.split('/').pop()}`;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.oneOf) return schema.oneOf.map(typeOf).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part)})`).join(' & ');
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  }
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `ReadonlyArray<${typeOf(schema.items)}>`;
    default:
      return objectOf(schema);
  }
}

function objectOf(schema) {
  if (!schema.properties) {
    const values = schema.additionalProperties;
    return typeof values === 'object' ? `Record<string, ${typeOf(values)}>` : 'object';
  }
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties).map(
    ([name, of]) =>
      `readonly ${key(name)}${required.has(name) ? '' : '?'}: ${typeOf(of)}` +
      (required.has(name) ? '' : ' | undefined'),
  );
  return `{ ${fields.join('; ')} }`;
}

function parametersOf(operation, place) {
  const found = operation.parameters.filter((parameter) => parameter.in === place);
  if (found.length === 0) return 'undefined';
  const fields = found.map(({ name, required, schema }) => {
    const type = typeOf(schema);
    return `readonly ${key(name)}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}`;
  });
  return `{ ${fields.join('; ')} }`;
}

function bodyOf(operation) {
  if (!operation.body) return 'undefined';
  const json = operation.body['application/json'];
  const type = json ? typeOf(json) : 'Blob';
  return operation.bodyRequired ? type : `${type} | undefined`;
}

/** A call that also answers files has the type of its JSON: `Client.file` reads the others. */
function answerOf(operation) {
  const types = new Set();
  for (const contents of Object.values(operation.answers)) {
    const names = Object.keys(contents);
    const json = names.filter((name) => /^application\/(geo\+)?json/.test(name));
    for (const name of json) types.add(typeOf(contents[name]));
    if (json.length === 0) types.add(names.length === 0 ? 'undefined' : 'Blob');
  }
  return [...types].join(' | ') || 'undefined';
}

function constantOf(name, operation) {
  const shape =
    `{ path: ${parametersOf(operation, 'path')}; query: ${parametersOf(operation, 'query')}; ` +
    `body: ${bodyOf(operation)}; answer: ${answerOf(operation)} }`;
  const header = (wanted) =>
    operation.parameters.some(({ name: is, in: place }) => place === 'header' && is === wanted);
  const flags = (header('Idempotency-Key') ? 1 : 0) + (header('If-Match') ? 2 : 0);
  const values = [literal(name), literal(operation.method.toUpperCase()), literal(operation.path)];
  if (flags) values.push(String(flags));
  return `export const ${name} = /* @__PURE__ */ operation<${shape}>(${values.join(', ')});`;
}

export function typesSource() {
  const { operations, schemas } = JSON.parse(
    readFileSync(join(root, 'api', 'operations.json'), 'utf8'),
  );
  const types = Object.entries(schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema)};`);
  const constants = Object.entries(operations).map(([name, of]) => constantOf(name, of));
  const codes = new Set(Object.values(operations).flatMap((of) => of.codes));
  return [
    '// Made by tools/types.mjs from api/operations.json. Do not edit.',
    "import { operation } from '../api/operation';",
    '',
    ...types,
    '',
    `export type RefusalCode = ${[...codes].sort().map(literal).join(' | ')};`,
    '',
    ...constants,
    '',
  ].join('\n');
}
