// Reduces the OpenAPI document to what the client is generated from: operations and schemas.
//
// Examples, descriptions and headers are left out, and of each refusal only the codes stay, so that
// the committed copy changes only when the contract does.

const methods = ['get', 'post', 'put', 'patch', 'delete'];
const dropped = new Set(['description', 'example', 'examples', 'pattern', 'title']);

function schema(value) {
  if (Array.isArray(value)) return value.map(schema);
  if (value === null || typeof value !== 'object') return value;
  const kept = {};
  for (const [name, part] of Object.entries(value)) {
    if (name === 'properties') {
      kept.properties = Object.fromEntries(
        Object.entries(part).map(([key, of]) => [key, schema(of)]),
      );
    } else if (!dropped.has(name)) kept[name] = schema(part);
  }
  // A reference with more beside it narrows texts only, which has no type.
  return kept.$ref ? { $ref: kept.$ref } : kept;
}

function codes(responses) {
  const found = new Set();
  for (const [status, response] of Object.entries(responses)) {
    if (status < '400') continue;
    for (const content of Object.values(response.content ?? {})) {
      for (const part of content.schema.allOf ?? []) {
        for (const code of part.properties?.code?.enum ?? []) found.add(code);
      }
    }
  }
  return [...found].sort();
}

function contents(holder) {
  return Object.fromEntries(
    Object.entries(holder?.content ?? {}).map(([type, of]) => [type, schema(of.schema ?? {})]),
  );
}

function operation(method, path, of) {
  const answers = {};
  for (const [status, response] of Object.entries(of.responses)) {
    if (status < '300') answers[status] = contents(response);
  }
  const parameters = (of.parameters ?? []).map(({ name, in: place, required, schema: type }) => ({
    name,
    in: place,
    required: required === true,
    schema: schema(type),
  }));
  const kept = { method, path, parameters, answers, codes: codes(of.responses) };
  if (of.requestBody) {
    kept.body = contents(of.requestBody);
    kept.bodyRequired = of.requestBody.required === true;
  }
  return kept;
}

export function reduce(document) {
  const operations = {};
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      if (item[method]) operations[item[method].operationId] = operation(method, path, item[method]);
    }
  }
  const sorted = (of) => Object.fromEntries(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    operations: sorted(operations),
    schemas: sorted(
      Object.fromEntries(
        Object.entries(document.components.schemas).map(([name, of]) => [name, schema(of)]),
      ),
    ),
  };
}

/** One operation or schema a line, so that a difference shows which one changed. */
export function text(reduced) {
  const part = (of) =>
    Object.entries(of)
      .map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n');
  return `{\n  "operations": {\n${part(reduced.operations)}\n  },\n  "schemas": {\n${part(reduced.schemas)}\n  }\n}\n`;
}

if (process.argv[1]?.endsWith('reduce.mjs')) {
  const { readFileSync } = await import('node:fs');
  process.stdout.write(text(reduce(JSON.parse(readFileSync(process.argv[2] ?? 0, 'utf8')))));
}
