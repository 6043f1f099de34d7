import { CredentialsRejectedError } from '../../accounts/verification/verify-credentials.ts'
import { ApiError, ERRORS, type FieldError, type FieldErrors } from '../../errors.ts'
import { failureMessage } from '../../i18n/get-messages.ts'
import type { Text } from '../../i18n/localized-text.ts'
import { failureCode } from '../../links/counters/count-attempt.ts'
import type { Html } from '../../ui/html.ts'
import { displayFailureCode, fieldErrorMessage } from '../form/field-messages.ts'
import type { ParsedForm } from '../form/parse-form.ts'
import type { FormStep } from '../integrations.ts'
import type { PageContext } from '../page/page-context.ts'
import type { Screen } from '../page/screen.ts'
import { type FormFeedback, hintText } from '../screens/error-summary.ts'
import { formScreen } from '../screens/form-screen.ts'
import { bundleMessage } from './bundle-message.ts'

/** Why a form did not create an account, as it is stored and shown. */
export interface Failure {
  readonly code: string
  /** The field that the integration reported. */
  readonly field?: string | undefined
  /** The integration's message. */
  readonly hint?: string | undefined
  /** Validation errors by field. */
  readonly errors?: FieldErrors | undefined
}

/** The code for metrics, one of docs/errors.md. */
export function countedFailureCode({ code }: Failure): string {
  return Object.hasOwn(ERRORS, code) ? code : 'credentials_rejected'
}

/** Whether the failure is an internal error (500). */
export function isServerError({ code }: Failure): boolean {
  return getStatus(code) === 500
}

function getStatus(code: string): number | undefined {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS][0] : undefined
}

/** Check codes with a specific message. Any other is reported as `credentials_rejected`. */
const KNOWN_CHECK_CODES = [
  'insufficient_scope',
  'invalid_credentials',
  'rate_limited',
  'wrong_host',
]

/** Converts an error to a failure for the page. */
export function toFailure(error: unknown): Failure {
  if (error instanceof CredentialsRejectedError) {
    const { code = '', field } = error.checkResult
    return {
      code: KNOWN_CHECK_CODES.includes(code) ? code : 'credentials_rejected',
      field,
      hint: bundleMessage(error.checkResult),
    }
  }
  const code = failureCode(error)
  return error instanceof ApiError && code === 'validation_failed'
    ? { code, errors: error.errors }
    : { code }
}

/** The feedback for a rejected form: the entered values, and each error at its field. */
export function rejectedForm(
  { messages, workspaceName }: PageContext,
  { integration, fields }: FormStep,
  { config, entered, hasSecret }: Pick<ParsedForm, 'config' | 'entered' | 'hasSecret'>,
  failure: Failure,
): FormFeedback {
  const firstErrors = firstErrorByPath(failure.errors ?? {})
  const fieldErrors = new Map<string, Text | Html>()
  for (const field of fields) {
    const error = firstErrors.get(`config.${field.name}`)
    const value = Object.hasOwn(config, field.name) ? config[field.name] : undefined
    if (error !== undefined)
      fieldErrors.set(field.name, fieldErrorMessage(messages, field, error, value))
  }
  const isInvalid = failure.code === 'validation_failed'
  const params = { tool: integration.definition.name, workspace: workspaceName }
  // Overload and storage failures are temporary and ours; only a failure of our network has a message of its own.
  const sentence =
    getStatus(failure.code) === 503 && failure.code !== 'egress_unavailable'
      ? messages.states.busy({}).body
      : failureMessage(
          messages,
          isInvalid ? 'unknown' : displayFailureCode(fields, failure.code),
          params,
        )
  const errorFieldName = findErrorField(fields, failure)
  if (errorFieldName !== undefined)
    fieldErrors.set(
      errorFieldName,
      failure.hint === undefined ? sentence : hintText(messages, failure.hint),
    )
  return {
    status: 422,
    entered,
    fieldErrors,
    summary:
      isInvalid && fieldErrors.size > 0
        ? messages.form.fieldErrors({ count: fieldErrors.size })
        : sentence,
    hint: errorFieldName === undefined ? failure.hint : undefined,
    code: failure.code,
    mustReenterSecret:
      hasSecret && fields.some(({ name, isSecret }) => isSecret && !fieldErrors.has(name)),
  }
}

/** The field that the integration reported, else the only secret field for rejected credentials. */
function findErrorField(fields: FormStep['fields'], { code, field }: Failure): string | undefined {
  const reported =
    fields.find(({ name }) => name === field) ??
    fields.find(({ group }) => group !== undefined && group.name === field)
  if (reported !== undefined) return reported.name
  const secrets = fields.filter(({ isSecret }) => isSecret)
  const isRefused = code === 'invalid_credentials' || code === 'credentials_rejected'
  return isRefused && secrets.length === 1 ? secrets[0]?.name : undefined
}

/** The first error at or below each path. */
function firstErrorByPath(errors: FieldErrors): Map<string, FieldError> {
  const firstByPath = new Map<string, FieldError>()
  for (const [path, [error]] of Object.entries(errors)) {
    const name = path.slice(0, MAX_PATH_LENGTH)
    for (let end = name.indexOf('.'); error !== undefined; end = name.indexOf('.', end + 1)) {
      const prefix = end === -1 ? path : name.slice(0, end)
      if (!firstByPath.has(prefix)) firstByPath.set(prefix, error)
      if (end === -1) break
    }
  }
  return firstByPath
}

/** Property names have at most 100 characters, and forms have two levels. */
const MAX_PATH_LENGTH = 256

/** Renders the form of an expired session in a new one, with the entered values except secrets. Nothing was processed. */
export function sessionExpiredForm(
  page: PageContext,
  step: FormStep,
  { entered, hasSecret }: ParsedForm,
): Screen {
  const { sessionLost: summary } = page.messages.form
  const feedback = {
    status: 403,
    entered,
    fieldErrors: new Map(),
    summary,
    hint: undefined,
    code: 'visit_lost',
    mustReenterSecret: hasSecret,
  }
  return formScreen(page, { ...step, feedback })
}
