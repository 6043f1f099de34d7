import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { lint } from '../lint/lint.ts'
import type { Entry } from './entry.ts'
import { ENTRY_SCHEMA } from './entry-schema.ts'
import { toDefinition } from './to-definition.ts'

/** What is wrong with an entry, and where. */
export interface EntryProblem {
  /** The names of the properties that lead there, joined by dots; empty for the whole entry. */
  readonly path: string
  readonly message: string
}

/** Checks unknown data against the schema, then as an integration with the same lint. Empty: it is an `Entry`. */
export function lintEntry(entry: unknown): readonly EntryProblem[] {
  if (!validate(entry)) return describe(validate.errors ?? [])
  return lint(toDefinition(entry)).map((message) => ({ path: '', message }))
}

const validate = new Ajv2020({
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
}).compile<Entry>(ENTRY_SCHEMA)

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
