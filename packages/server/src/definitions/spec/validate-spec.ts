import type { InputProperty, InputSpecification, Spec } from '@linchpin/runner'
import { Ajv, type ErrorObject } from 'ajv'
import { isAuthErrorPath } from './auth-error-path.ts'
import { isCallbackParamName } from './callback-param-name.ts'
import { isUrlTemplate } from './is-url-template.ts'
import { normalizeSpec } from './normalize-spec.ts'
import { optionKey } from './option-key.ts'
import { SPEC_SCHEMA } from './spec-schema.ts'

/** Caps of a spec (design section 4). */
const MAX_BYTES = 256 * 1024
const MAX_DEPTH = 16
const MAX_NODES = 2_000
/** Shared inputs belong to each auth type: without a cap on their product, 256 kB make 900,000 fields. */
const MAX_FIELDS = 5_000

const formats = {
  'url-template': isUrlTemplate,
  'callback-name': isCallbackParamName,
  'auth-error-path': isAuthErrorPath,
}
const isSpec = new Ajv({ strict: false, formats }).compile<Spec>(SPEC_SCHEMA)

/** A spec that was validated, in today's spelling, with the text that is stored and answered. */
export interface ValidatedSpec {
  readonly spec: Spec
  readonly json: string
}

/**
 * Validates what SPEC answered by size, depth, count and shape, and normalizes older spellings.
 *
 * @returns the spec, or a sentence that says what is wrong with it
 */
export function validateSpec(value: unknown): ValidatedSpec | string {
  const inputJson = JSON.stringify(value) ?? 'null'
  if (Buffer.byteLength(inputJson) > MAX_BYTES) return 'its spec is larger than 256 kB.'
  const size = measure(value, 1)
  if (size.depth > MAX_DEPTH) return `its spec is deeper than ${MAX_DEPTH} levels.`
  if (size.nodes > MAX_NODES) return `its spec has more than ${MAX_NODES} values.`
  const normalized = normalizeSpec(value)
  if (typeof normalized === 'string') return `its spec is not one: ${normalized}.`
  const { spec, isChanged } = normalized
  if (!isSpec(spec)) return `its spec is not one: ${describeError(isSpec.errors?.[0])}.`
  if (countFields(spec) > MAX_FIELDS)
    return `its spec has more than ${MAX_FIELDS} fields, with those of other_inputs in each auth type.`
  const message = findPrematurePlaceholder(spec) ?? findUnmatchedLabel(spec)
  const json = isChanged ? JSON.stringify(spec) : inputJson
  return message === undefined ? { spec, json } : `its spec is not one: ${message}.`
}

/** The patterns of a spec: they are judged in the jail, never here. */
export function listPatterns(spec: Spec): string[] {
  return listFields(spec)
    .map(([, property]) => property.pattern)
    .filter((pattern) => pattern !== undefined)
}

function listFields(spec: Spec): [string, InputProperty][] {
  const sections: (InputSpecification | undefined)[] = [
    spec.other_inputs?.input_specification,
    ...Object.values(spec.auth_specification).map((auth) => auth.input_specification),
  ]
  return sections.flatMap((section) => Object.entries(section?.properties ?? {}))
}

function countFields(spec: Spec): number {
  const count = (input: InputSpecification | undefined) =>
    Object.keys(input?.properties ?? {}).length
  const shared = count(spec.other_inputs?.input_specification)
  const types = Object.values(spec.auth_specification)
  return types.reduce((sum, auth) => sum + shared + count(auth.input_specification), 0)
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

function describeError(error: ErrorObject | undefined): string {
  if (error === undefined) return 'the spec is not valid'
  const steps = error.instancePath.split('/').slice(1)
  const path = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
  return `${path || 'the spec'} ${ERROR_MESSAGES[errorKey(error)] ?? error.message ?? 'is not valid'}`
}

/** A format is told by its name, a closed list by what is on it. */
function errorKey({ keyword, params }: ErrorObject): string {
  return keyword === 'format' ? String(params.format) : String(params.allowedValues ?? keyword)
}

const ERROR_MESSAGES: Readonly<Record<string, string>> = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what authors write
  'url-template': 'must be an https URL, in which ${name} may stand',
  'callback-name': 'must be the name of a parameter that sign-in does not use itself',
  'auth-error-path': 'must have paths such as error.code or errors.*.code as its names',
  always: 'must be "always", or left out',
  complete: 'must be "complete", or left out',
  'token,grant': 'must be "token" or "grant", or left out',
  'true,false,true,false': 'must be true or false',
}

/** A URL that is asked before sign-in cannot be filled with what only comes back with it. */
function findPrematurePlaceholder(spec: Spec): string | undefined {
  for (const [authType, auth] of Object.entries(spec.auth_specification)) {
    const inputProperties = {
      ...spec.other_inputs?.input_specification?.properties,
      ...auth.input_specification?.properties,
    }
    for (const field of PRE_SIGN_IN_URLS) {
      const name = auth.callback_params?.find(
        (each) => !Object.hasOwn(inputProperties, each) && auth[field]?.includes(`\${${each}}`),
      )
      if (name !== undefined)
        return `auth_specification.${authType}.${field} names ${name}, which only comes back with sign-in`
    }
  }
  return undefined
}

const PRE_SIGN_IN_URLS = [
  'authorization_url',
  'token_url',
  'pushed_authorization_request_url',
] as const

/** A label that nobody would ever see is a slip of the pen. */
function findUnmatchedLabel(spec: Spec): string | undefined {
  for (const [name, { enum: values = [], 'x-labels': labels = {} }] of listFields(spec)) {
    const optionKeys = new Set(values.map(optionKey))
    const unmatched = Object.keys(labels).find((value) => !optionKeys.has(value))
    if (unmatched !== undefined)
      return `${name}.x-labels names ${JSON.stringify(unmatched)}, which is no value of its enum`
  }
  return undefined
}
