import { CredentialsRejected } from '../../account/check/credentials-rejected.ts'
import { ApiError, ERRORS, type FieldError, type FieldErrors } from '../../errors.ts'
import { failureCode } from '../../link/counters/failure-code.ts'
import type { Html } from '../../page/html.ts'
import type { Text } from '../../page/phrase.ts'
import { failureSentence } from '../../page/words/failure-sentence.ts'
import { fieldFault } from '../form/field-fault.ts'
import type { ReadConfig } from '../form/read-config.ts'
import { saidCode } from '../form/said-code.ts'
import type { FormPlace } from '../open/place.ts'
import type { SentForm } from '../view/form-screen.ts'
import { hintText } from '../view/hint-text.ts'
import type { Page } from '../view/page.ts'
import { saidWords } from './said-words.ts'

/** Why a form did not lead to an account, as it is kept and shown. */
export interface Failure {
  readonly code: string
  /** The field that the integration blames. */
  readonly field?: string | undefined
  /** What to do, in the integration's words. */
  readonly hint?: string | undefined
  /** What is wrong with single fields. */
  readonly errors?: FieldErrors | undefined
}

/** The code that a failure is counted under: one of docs/errors.md. */
export function countedCode({ code }: Failure): string {
  return Object.hasOwn(ERRORS, code) ? code : 'credentials_rejected'
}

/** Whether it failed in a way that only the operator can look into. */
export function isOurFault({ code }: Failure): boolean {
  return statusOf(code) === 500
}

function statusOf(code: string): number | undefined {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS][0] : undefined
}

/** Codes of the integration's own verdict that have words of their own. Any other is the general one. */
const VERDICTS = ['insufficient_scope', 'invalid_credentials', 'rate_limited', 'wrong_host']

/** Reads an error as what a person needs to know of it. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CredentialsRejected) {
    const { code = '', field } = error.verdict
    return {
      code: VERDICTS.includes(code) ? code : 'credentials_rejected',
      field,
      hint: saidWords(error.verdict),
    }
  }
  const code = failureCode(error)
  return error instanceof ApiError && code === 'validation_failed'
    ? { code, errors: error.errors }
    : { code }
}

/** The form again, with what was typed and what is wrong, each thing at its field. */
export function failedForm(
  { words, by }: Page,
  { tool, fields }: FormPlace,
  { config, typed, hasSecret }: Pick<ReadConfig, 'config' | 'typed' | 'hasSecret'>,
  failure: Failure,
): SentForm {
  const found = firstFaults(failure.errors ?? {})
  const faults = new Map<string, Text | Html>()
  for (const field of fields) {
    const fault = found.get(`config.${field.name}`)
    const value = Object.hasOwn(config, field.name) ? config[field.name] : undefined
    if (fault !== undefined) faults.set(field.name, fieldFault(words, field, fault, value))
  }
  const isInvalid = failure.code === 'validation_failed'
  const facts = { tool: tool.definition.name, workspace: by }
  // Too much at once is on our side, and passes.
  const sentence =
    statusOf(failure.code) === 503
      ? words.states.busy({}).body
      : failureSentence(words, isInvalid ? 'unknown' : saidCode(fields, failure.code), facts)
  const blamed = blamedField(fields, failure)
  if (blamed !== undefined)
    faults.set(blamed, failure.hint === undefined ? sentence : hintText(words, failure.hint))
  return {
    status: 422,
    typed,
    faults,
    sentence: isInvalid && faults.size > 0 ? words.form.faults({ count: faults.size }) : sentence,
    hint: blamed === undefined ? failure.hint : undefined,
    code: failure.code,
    isSecretGone: hasSecret && fields.some(({ name, isSecret }) => isSecret && !faults.has(name)),
  }
}

/** The field that the integration names; a refused key is at the only field that can hold one. */
function blamedField(fields: FormPlace['fields'], { code, field }: Failure): string | undefined {
  const named =
    fields.find(({ name }) => name === field) ??
    fields.find(({ group }) => group !== undefined && group.name === field)
  if (named !== undefined) return named.name
  const secrets = fields.filter(({ isSecret }) => isSecret)
  const isRefused = code === 'invalid_credentials' || code === 'credentials_rejected'
  return isRefused && secrets.length === 1 ? secrets[0]?.name : undefined
}

/** The first fault at each path or below it. */
function firstFaults(errors: FieldErrors): Map<string, FieldError> {
  const found = new Map<string, FieldError>()
  for (const [path, [fault]] of Object.entries(errors)) {
    const name = path.slice(0, LONGEST_NAME)
    for (let end = name.indexOf('.'); fault !== undefined; end = name.indexOf('.', end + 1)) {
      const above = end === -1 ? path : name.slice(0, end)
      if (!found.has(above)) found.set(above, fault)
      if (end === -1) break
    }
  }
  return found
}

/** Of a field's path: names of a spec have 100 characters, and one level is asked for field by field. */
const LONGEST_NAME = 256
