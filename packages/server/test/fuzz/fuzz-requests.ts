import fc from 'fast-check'
import { hostileJson, hostileText } from './hostile-values.ts'
import {
  createValidValue,
  generateInvalidBodies,
  type InvalidBody,
  type KnownValues,
} from './invalid-bodies.ts'
import type { Operation } from './operations.ts'

/** A hostile request. */
export interface FuzzRequest {
  /** The kind of error in it. */
  readonly kind: string
  readonly method: string
  /** The path from /api on, already percent-encoded. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: string | Buffer
  /** The field that a 400 response must name. */
  readonly field?: string
}

export interface FuzzContext {
  readonly token: string
  /** Ids of existing resources, for fields and path parameters. */
  readonly knownValues: KnownValues
}

/** Requests to one operation, each with an invalid or an edge-case value. */
export function generateRequests(
  operation: Operation,
  context: FuzzContext,
): fc.Arbitrary<FuzzRequest> {
  const base: FuzzRequest = {
    kind: 'plain',
    method: operation.method,
    url: fillPath(operation.path, context.knownValues),
    headers: { authorization: `Bearer ${context.token}` },
  }
  const json = { ...base.headers, 'content-type': 'application/json' }
  const kinds: fc.WeightedArbitrary<FuzzRequest>[] = [
    { weight: 2, arbitrary: generatePaths(operation, base, context.knownValues) },
    { weight: 2, arbitrary: generateQueries(operation, base) },
    { weight: 1, arbitrary: headers(base) },
    { weight: 1, arbitrary: methods(base) },
  ]
  const { body } = operation
  if (body === undefined)
    kinds.push({
      weight: 1,
      arbitrary: generateRawBodies('{}').map((raw) => ({ ...base, headers: json, ...raw })),
    })
  else {
    const valid = JSON.stringify(createValidValue(body, context.knownValues))
    const invalidBody = generateInvalidBodies(body, context.knownValues)
    const toFuzzFields = ({ text, field }: InvalidBody) => ({
      kind: 'invalid field',
      payload: text,
      field,
    })
    kinds.push(
      {
        weight: 8,
        arbitrary: invalidBody.map((invalid) => ({
          ...base,
          headers: json,
          ...toFuzzFields(invalid),
        })),
      },
      {
        weight: 3,
        arbitrary: generateRawBodies(valid).map((raw) => ({ ...base, headers: json, ...raw })),
      },
      {
        weight: 2,
        arbitrary: generateJsonBodies(valid).map((body) => ({ ...base, headers: json, ...body })),
      },
      { weight: 1, arbitrary: generateMediaTypes(valid).map((media) => mediaRequest(base, media)) },
    )
  }
  return fc.oneof(...kinds)
}

/** Bytes that are not JSON, or hostile JSON. */
function generateRawBodies(valid: string): fc.Arbitrary<Pick<FuzzRequest, 'kind' | 'payload'>> {
  const truncatedBodies = fc.integer({ min: 1, max: valid.length }).map((at) => valid.slice(0, -at))
  const splicedBodies = fc
    .tuple(fc.nat(valid.length), hostileText)
    .map(([at, text]) => valid.slice(0, at) + text + valid.slice(at))
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array))
  const craftedBodies = fc.constantFrom(
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"config":{"__proto__":{"polluted":true}}}',
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
    '{"expiresIn":1e999,"linkName":"n"}',
    '{"linkName":"n","expiresIn":-0}',
    `{"linkName":${'9'.repeat(400)}}`,
    '\ufeff{}',
    'NaN',
    "{'linkName':'n'}",
    '{"linkName":"n",}',
    '{"linkName":"\ud83d"}',
    '{"a":1}{"b":2}',
    'null',
    '[]',
    '""',
    '0',
    'true',
    `{"linkName":"${'x'.repeat(70_000)}"}`,
    '',
  )
  return fc
    .oneof(truncatedBodies, splicedBodies, bytes, craftedBodies)
    .map((payload) => ({ kind: 'raw body', payload }))
}

/** JSON of any shape, and valid bodies with one field that holds any JSON. */
function generateJsonBodies(valid: string): fc.Arbitrary<Pick<FuzzRequest, 'kind' | 'payload'>> {
  const fields = Object.keys(JSON.parse(valid)).filter((name) => name !== 'sourceUrl')
  const replaced = fields.map((name) =>
    hostileJson.map((value) => ({ ...JSON.parse(valid), [name]: value })),
  )
  const texts = fc.oneof(hostileJson, ...replaced).map((value) => JSON.stringify(value))
  return texts.map((payload) => ({ kind: 'any JSON', payload }))
}

function generateMediaTypes(
  valid: string,
): fc.Arbitrary<{ headers: Record<string, string>; payload: string }> {
  const type = fc.constantFrom(
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/jsonx',
    'application/',
    '/',
    ';',
    'APPLICATION/JSON',
    'application/merge-patch+json',
    ' application/json , text/plain',
  )
  const encoding = fc.constantFrom(undefined, 'gzip', 'br', 'identity', 'nonsense')
  return fc.tuple(type, encoding).map(([contentType, contentEncoding]) => ({
    payload: valid,
    headers: {
      'content-type': contentType,
      ...(contentEncoding === undefined ? {} : { 'content-encoding': contentEncoding }),
    },
  }))
}

function mediaRequest(
  base: FuzzRequest,
  { headers, payload }: { headers: Record<string, string>; payload: string },
): FuzzRequest {
  return { ...base, kind: 'media type', headers: { ...base.headers, ...headers }, payload }
}

function generatePaths(
  operation: Operation,
  base: FuzzRequest,
  knownValues: KnownValues,
): fc.Arbitrary<FuzzRequest> {
  const segment = fc.oneof(
    hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom(
      '%',
      '%0',
      '%00',
      '%ff',
      '%2e%2e',
      '..',
      '.',
      '%2f',
      'a%',
      '*',
      ':id',
      '%u0041',
    ),
    fc.constantFrom(...PREFIXES).map((prefix) => prefix + '0'.repeat(26)),
    fc.constantFrom(...PREFIXES).map((prefix) => `${prefix}${'z'.repeat(32)}`),
    fc.integer({ min: 90, max: 5_000 }).map((length) => 'p'.repeat(length)),
  )
  return segment.map((text) => ({
    ...base,
    kind: 'path',
    url: operation.path.includes('{')
      ? fillPath(operation.path, knownValues, text)
      : `${base.url}/${text}`,
  }))
}

const PREFIXES = ['acc_', 'def_', 'lnk_', 'wsp_', 'tok_', 'usr_', 'oap_']

function generateQueries(operation: Operation, base: FuzzRequest): fc.Arbitrary<FuzzRequest> {
  const name = fc.oneof(
    fc.constantFrom(...Object.keys(operation.query), 'workspaceId', 'limit', '__proto__', 'x[y]'),
    hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
  )
  const value = fc.oneof(
    hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom(
      '',
      '0',
      '1',
      '-1',
      '1001',
      '1e3',
      '1.5',
      'true',
      'TRUE',
      '%00',
      '%',
      '%ed%a0%80',
    ),
    fc.constantFrom(
      'Ticketing',
      'CRM,,',
      ',,,',
      'a'.repeat(3_000),
      'MTcuYWNj',
      'OTk5OTk5OTk5OTk5OTk5OTk',
    ),
  )
  return fc
    .array(fc.tuple(name, value), { minLength: 1, maxLength: 4 })
    .map((pairs) => pairs.map(([left, right]) => `${left}=${right}`).join('&'))
    .map((query) => ({ ...base, kind: 'query', url: `${base.url}?${query}` }))
}

function headers(base: FuzzRequest): fc.Arbitrary<FuzzRequest> {
  const text = fc.string({
    maxLength: 60,
    unit: fc.constantFrom(...' !"#$%&\'()*+,-./:;<=>?@[]^_`{|}~azAZ09\u00e9\u00ff'),
  })
  const name = fc.constantFrom(
    'authorization',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-request-id',
    'accept',
    'accept-encoding',
    'range',
    'if-none-match',
    'cookie',
    'x-http-method-override',
    'origin',
    'traceparent',
  )
  const authorization = fc
    .constantFrom(
      'Bearer',
      'Bearer  ',
      'bearer x',
      'Basic eDp5',
      `Bearer lp_${'0'.repeat(36)}`,
      'Bearer a b',
      '',
    )
    .map((value) => ({ authorization: value }))
  const other = fc.tuple(name, text).map(([key, value]) => ({ [key]: value }))
  return fc.oneof(authorization, other).map((changed) => ({
    ...base,
    kind: 'header',
    headers: { ...base.headers, ...changed } as Record<string, string>,
  }))
}

function methods(base: FuzzRequest): fc.Arbitrary<FuzzRequest> {
  return fc
    .constantFrom('PUT', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'GET', 'DELETE', 'POST', 'PROPFIND')
    .map((method) => ({ ...base, kind: 'method', method }))
}

function fillPath(path: string, knownValues: KnownValues, segment?: string): string {
  return path.replaceAll(
    /\{(\w+)\}/g,
    (_, name) => segment ?? String(knownValues[name] ?? 'unknown'),
  )
}
