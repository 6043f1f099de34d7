import type { InputSpecification, Spec } from '@linchpin/runner'
import { Ajv } from 'ajv'

/** Caps of a spec (design section 4). */
const MAX_BYTES = 256 * 1024
const MAX_DEPTH = 16
const MAX_NODES = 2_000

const text = { type: 'string', maxLength: 4_096 }
const inputs = {
  type: 'object',
  properties: {
    type: { const: 'object' },
    required: { type: 'array', items: text },
    properties: {
      type: 'object',
      propertyNames: { minLength: 1, maxLength: 100 },
      additionalProperties: {
        type: 'object',
        properties: {
          type: {},
          title: text,
          description: text,
          enum: { type: 'array' },
          format: text,
          pattern: text,
          minLength: { type: 'integer', minimum: 0 },
          writeOnly: { type: 'boolean' },
          'x-secret': { type: 'boolean' },
        },
      },
    },
  },
}
const SCHEMA = {
  type: 'object',
  required: ['auth_specification'],
  properties: {
    auth_specification: {
      type: 'object',
      minProperties: 1,
      propertyNames: { minLength: 1, maxLength: 100 },
      additionalProperties: {
        type: 'object',
        properties: {
          input_specification: inputs,
          headers: { type: 'object', additionalProperties: text },
          authorization_url: text,
          token_url: text,
          refresh_url: text,
          revocation_url: text,
          default_scopes: { type: 'array', items: text },
        },
      },
    },
    other_inputs: { type: 'object', properties: { input_specification: inputs } },
    'x-hosts': { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 253 } },
  },
}
const isSpec = new Ajv({ strict: false }).compile<Spec>(SCHEMA)

/** A spec that was judged, with the text that is stored and answered verbatim. */
export interface JudgedSpec {
  readonly spec: Spec
  readonly json: string
}

/**
 * Judges what SPEC answered by size, depth, count and shape.
 *
 * @returns the spec, or a sentence that says what is wrong with it
 */
export function judgeSpec(value: unknown): JudgedSpec | string {
  const json = JSON.stringify(value) ?? 'null'
  if (Buffer.byteLength(json) > MAX_BYTES) return 'its spec is larger than 256 kB.'
  const size = measure(value, 1)
  if (size.depth > MAX_DEPTH) return `its spec is deeper than ${MAX_DEPTH} levels.`
  if (size.nodes > MAX_NODES) return `its spec has more than ${MAX_NODES} values.`
  if (isSpec(value)) return { spec: value, json }
  const fault = isSpec.errors?.[0]
  const place = fault?.instancePath.split('/').slice(1).join('.') || 'the spec'
  return `its spec is not one: ${place} ${fault?.message ?? 'is not valid'}.`
}

/** The patterns of a spec: they are judged in the jail, never here. */
export function patternsOf(spec: Spec): string[] {
  const places: (InputSpecification | undefined)[] = [
    spec.other_inputs?.input_specification,
    ...Object.values(spec.auth_specification).map((auth) => auth.input_specification),
  ]
  return places
    .flatMap((place) => Object.values(place?.properties ?? {}))
    .map((property) => property.pattern)
    .filter((pattern) => pattern !== undefined)
}

function measure(value: unknown, depth: number): { depth: number; nodes: number } {
  if (value === null || typeof value !== 'object') return { depth, nodes: 1 }
  // Beyond the caps nothing more needs to be known.
  if (depth > MAX_DEPTH) return { depth, nodes: 1 }
  let deepest = depth
  let nodes = 1
  for (const item of Object.values(value)) {
    const inner = measure(item, depth + 1)
    deepest = Math.max(deepest, inner.depth)
    nodes += inner.nodes
    if (nodes > MAX_NODES) break
  }
  return { depth: deepest, nodes }
}
