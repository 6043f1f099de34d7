import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { type LintOptions, lint } from '../lint/lint.ts'
import type { Entry } from './entry.ts'
import { ENTRY_SCHEMA } from './entry-schema.ts'
import { findNeededRuntime } from './needed-runtime.ts'
import { toDefinition } from './to-definition.ts'

/** What is wrong with an entry, and where. */
export interface EntryProblem {
  /** The names of the properties that lead there, joined by dots; empty for the whole entry. */
  readonly path: string
  readonly message: string
}

/** Checks unknown data against the schema, then as an integration with the same lint. Empty: it is an `Entry`. */
export function lintEntry(entry: unknown, options?: LintOptions): readonly EntryProblem[] {
  // In the bundle, the entry is a literal of JavaScript, where this is no property.
  if (JSON.stringify(entry)?.includes('"__proto__":'))
    return [{ path: '', message: '__proto__ is not a name.' }]
  const validate = getValidator()
  if (!validate(entry)) return describe(validate.errors ?? [])
  const { runtime, property } = findNeededRuntime(entry)
  if (entry.runtime < runtime)
    return [{ path: 'runtime', message: `must be ${runtime} or later for ${property}.` }]
  return lint(toDefinition(entry), options).map((message) => locate(entry, message))
}

/** The lint names the authentication method and the field, in words. */
function locate(entry: Entry, message: string): EntryProblem {
  const name = Object.keys(entry.auth).find((each) => message.startsWith(`${each}: `))
  const isShared = message.startsWith('inputs: ')
  const text = name !== undefined || isShared ? message.slice(message.indexOf(': ') + 2) : message
  const field = /^field (\w+) (?=has|is|looks|must)/.exec(text)
  const revocation = /^revocation(\.\d+)? (?=has|names|sends|contains)/.exec(text)
  if (name !== undefined && revocation !== null)
    return {
      path: `auth.${name}.revoke${revocation[1] ?? ''}`,
      message: text.slice(revocation[0].length),
    }
  const parts = [
    ...(name === undefined ? [] : ['auth', name]),
    ...(field === null ? [] : ['fields', field[1] ?? '']),
  ]
  if (parts.length > 0)
    return { path: parts.join('.'), message: field === null ? text : text.slice(field[0].length) }
  const interval = /^checkInterval (?=must)/.exec(text)
  if (interval !== null) return { path: 'checkInterval', message: text.slice(interval[0].length) }
  return { path: /\bhosts?\b/.test(text) ? 'hosts' : '', message: text }
}

let compiled: ValidateFunction<Entry> | undefined

// Compiling takes long: a service that checks no entry should not start later because of it.
function getValidator(): ValidateFunction<Entry> {
  compiled ??= new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    inlineRefs: false,
  }).compile<Entry>(ENTRY_SCHEMA)
  return compiled
}

function describe(errors: readonly ErrorObject[]): EntryProblem[] {
  const [error] = errors.filter(({ keyword }) => keyword !== 'if')
  if (error === undefined) return [{ path: '', message: 'is not an entry.' }]
  return [{ path: toPath(error), message: toMessage(error) }]
}

function toPath({ instancePath, keyword, params }: ErrorObject): string {
  const names = instancePath
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'additionalProperties') names.push(String(params.additionalProperty))
  if (keyword === 'required') names.push(String(params.missingProperty))
  return names.join('.')
}

function toMessage({ keyword, params, message = 'is invalid' }: ErrorObject): string {
  if (keyword === 'additionalProperties') return 'is not a property of an entry here.'
  if (keyword === 'required') return 'is missing.'
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}.`
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}.`
  return `${message}.`
}
