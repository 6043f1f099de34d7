import type { FastifyReply } from 'fastify'
import type { FieldError, FieldErrors } from '../../../platform/errors.ts'
import { getFailureMessage } from '../../../platform/i18n/get-messages.ts'
import type { Text } from '../../../platform/i18n/localized-text.ts'
import { errorScreen, type PageError } from '../../../platform/ui/error-screen.ts'
import type { Html } from '../../../platform/ui/html.ts'
import { type Screen, sendScreen } from '../../../platform/ui/screen.ts'
import { getFailureMessageName, getFieldErrorMessage } from '../form/field-messages.ts'
import { localizeFields } from '../form/localize-fields.ts'
import type { ParsedForm } from '../form/parse-form.ts'
import type { FormStep } from '../integration-offer.ts'
import type { PageContext } from '../page/page-context.ts'
import { existingKeyScreen } from '../screens/already-connected-screen.ts'
import { type FormFeedback, getFirstSentence, hintText } from '../screens/error-summary.ts'
import { formScreen } from '../screens/form-screen.ts'
import { type Failure, getStatus, isTemporary } from './failure.ts'
import type { SubmittedForm } from './submitted-form.ts'

/**
 * Sends the form again with the reason why it was rejected, or an error page when the link itself accepts no account.
 * `submissionId` is the ID of the form if it is still unused.
 */
export function sendRejectedForm(
  reply: FastifyReply,
  { page, step, parsedForm }: SubmittedForm,
  failure: Failure,
  submissionId?: string,
): FastifyReply {
  const { code } = failure
  if (isLinkError(code)) {
    const { workspaceName, link } = page
    const { expiresAt } = link
    return sendScreen(reply, page, errorScreen(page, code, { workspaceName, expiresAt }))
  }
  return sendScreen(reply, page, rejectedFormScreen(page, step, parsedForm, failure, submissionId))
}

/** The form with the reason, or with the choice what to do with a user who is connected already. */
export function rejectedFormScreen(
  page: PageContext,
  step: FormStep,
  parsedForm: ParsedForm,
  failure: Failure,
  submissionId?: string,
): Screen {
  const feedback = createRejectedForm(page, step, parsedForm, failure)
  const view = { ...step, feedback, submissionId }
  return failure.code === 'already_connected'
    ? existingKeyScreen(page, view, failure.connectedAs)
    : formScreen(page, view)
}

type LinkError = Extract<PageError, `link_${string}`>

/** Whether an error code means that the link accepts no accounts. */
function isLinkError(code: string): code is LinkError {
  return LINK_ERRORS.includes(code as LinkError)
}

const LINK_ERRORS: readonly LinkError[] = [
  'link_expired',
  'link_full',
  'link_identifier_full',
  'link_revoked',
]

/** The feedback for a rejected form: the entered values, and each error at its field. */
export function createRejectedForm(
  { messages, workspaceName, language }: PageContext,
  step: FormStep,
  { config, entered, hasSecret }: Pick<ParsedForm, 'config' | 'entered' | 'hasSecret'>,
  failure: Failure,
): FormFeedback {
  const { integration } = step
  const fields = localizeFields(step.fields, language, integration.definition)
  const firstErrors = indexErrorsByPath(failure.errors ?? {})
  const fieldErrors = new Map<string, Text | Html>()
  for (const field of fields) {
    const error = firstErrors.get(`config.${field.name}`)
    const value = Object.hasOwn(config, field.name) ? config[field.name] : undefined
    if (error !== undefined)
      fieldErrors.set(field.name, getFieldErrorMessage(messages, field, error, value))
  }
  const isInvalid = failure.code === 'validation_failed'
  const params = { tool: integration.definition.name, workspace: workspaceName }
  // Overload and storage failures are temporary and ours; only a failure of our network has a message of its own.
  const sentence =
    getStatus(failure.code) === 503 && failure.code !== 'egress_unavailable'
      ? messages.states.busy({}).body
      : getFailureMessage(
          messages,
          isInvalid ? 'unknown' : getFailureMessageName(fields, failure.code),
          params,
        )
  const errorFieldName = findErrorField(fields, failure)
  // Said once: what happened above the form, and what to do about it at the field.
  const { head, rest } = getFirstSentence(sentence)
  if (errorFieldName !== undefined)
    fieldErrors.set(
      errorFieldName,
      failure.hint === undefined ? rest || sentence : hintText(messages, failure.hint),
    )
  return {
    status: 422,
    entered,
    fieldErrors,
    summary:
      isInvalid && fieldErrors.size > 0
        ? messages.form.fieldErrors({ count: fieldErrors.size })
        : errorFieldName === undefined
          ? sentence
          : head,
    hint: errorFieldName === undefined ? failure.hint : undefined,
    code: failure.code,
    isTemporary: isTemporary(failure),
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
  return code === 'credentials_rejected' && secrets.length === 1 ? secrets[0]?.name : undefined
}

/** The first error at or below each path. */
function indexErrorsByPath(errors: FieldErrors): Map<string, FieldError> {
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
