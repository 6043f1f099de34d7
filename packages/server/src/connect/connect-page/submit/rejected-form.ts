import type { FastifyReply, FastifyRequest } from 'fastify'
import { AlreadyConnectedError } from '../../../accounts/accounts/find-same-identity.ts'
import type { RejectedCredentials } from '../../../accounts/accounts/schemas.ts'
import {
  ChoiceRequiredError,
  CredentialsRejectedError,
  DEFAULT_REJECTION_MESSAGE,
  type FactQuestion,
} from '../../../accounts/accounts/verification/run-check.ts'
import { ERRORS, type ErrorCode } from '../../../platform/error-codes.ts'
import { ApiError, type FieldError, type FieldErrors } from '../../../platform/errors.ts'
import { getForm } from '../../../platform/http/browser-request.ts'
import { describeRequest } from '../../../platform/http/log.ts'
import { getFailureMessage } from '../../../platform/i18n/language.ts'
import type { Text } from '../../../platform/i18n/localized-text.ts'
import {
  type CountedAttempt,
  failureCode,
  KNOWN_CHECK_CODES,
} from '../../../platform/record/attempt.ts'
import { isId } from '../../../platform/storage/id.ts'
import { errorScreen, type PageError } from '../../../platform/ui/error-screen.ts'
import type { Html } from '../../../platform/ui/html.ts'
import { type Screen, sendScreen } from '../../../platform/ui/screen.ts'
import { type AttemptOrigin, refuseUnloaded } from '../../attempts/attempt.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { createFactFields } from '../form/auth-method.ts'
import { getFailureMessageName, getFieldErrorMessage, localizeFields } from '../form/field-texts.ts'
import type { ParsedForm } from '../form/parse-form.ts'
import type { FormRequest, FormStep, SubmittedForm } from '../integration-offer.ts'
import {
  buildFormQuery,
  findPageLink,
  type PageContext,
  type PageQuery,
  parsePageQuery,
} from '../page/page-context.ts'
import { existingKeyScreen } from '../screens/connected-screen.ts'
import { formScreen } from '../screens/form-screen.ts'
import { type FormFeedback, getFirstSentence, hintText } from '../screens/render-fields.ts'

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
  const { questions = [] } = failure
  const asking = { ...step, fields: [...step.fields, ...createFactFields(questions)] }
  const feedback = createRejectedForm(page, asking, parsedForm, failure)
  const view = { ...asking, feedback, submissionId }
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
    failure.questions !== undefined
      ? messages.states.chooseFacts(params).title
      : getStatus(failure.code) === 503 && failure.code !== 'egress_unavailable'
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
    // The script keeps the secrets.
    isTemporary: isTemporary(failure) || failure.questions !== undefined,
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

/** Why a form did not create an account, as it is stored and shown. */
export interface Failure {
  readonly code: string
  /** The field that the integration reported. */
  readonly field?: string | undefined
  /** The integration's message. */
  readonly hint?: string | undefined
  /** Validation errors by field. */
  readonly errors?: FieldErrors | undefined
  /** What the provider leaves open. Shown, but not stored. */
  readonly questions?: readonly FactQuestion[] | undefined
  /** Who is connected already. Shown, but not stored. */
  readonly connectedAs?: string | undefined
}

/** Whether the failure is an internal error (500). */
export function isServerError({ code }: Failure): boolean {
  return getStatus(code) === 500
}

/** Whether the same values may be accepted a little later: the failure was ours, or the provider was busy. */
function isTemporary({ code }: Failure): boolean {
  return code === 'rate_limited' || TEMPORARY_STATUSES.includes(getStatus(code) ?? 0)
}

const TEMPORARY_STATUSES = [429, 500, 502, 503, 504]

function getStatus(code: string): number | undefined {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS][0] : undefined
}

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
  if (error instanceof AlreadyConnectedError) return { code, connectedAs: error.label }
  if (error instanceof ChoiceRequiredError) return { code, questions: error.questions }
  return error instanceof ApiError && code === 'validation_failed'
    ? { code, errors: error.errors }
    : { code }
}

/**
 * The integration's message about rejected credentials: its hint, else its error. Undefined when it is empty or a technical
 * message; the page then shows its own.
 */
export function bundleMessage({
  hint,
  error,
}: Pick<RejectedCredentials, 'error' | 'hint'>): string | undefined {
  const message = (hint ?? error).trim()
  return message === '' || message === DEFAULT_REJECTION_MESSAGE || TECHNICAL_MESSAGE.test(message)
    ? undefined
    : message
}

/** Messages of HTTP clients and Node, error names, data and markup. */
const TECHNICAL_MESSAGE = new RegExp(
  [
    '^request failed with status code',
    String.raw`^(?:network error|fetch failed|failed to fetch|socket hang up)\b`,
    String.raw`^\w*(?:error|exception):`,
    String.raw`\be(?:conn\w+|notfound|ai_again|timedout|hostunreach|proto)\b`,
    String.raw`\[object \w+\]`,
    String.raw`^(?:\{\s*"|\[\s*[{"]|<!doctype|<html)`,
    String.raw`^(?:undefined|null|true|false|\d{3})$`,
  ].join('|'),
  'i',
)

type RefusedPage = Pick<FormRequest, 'pageId' | 'searchParams'> & Pick<CountedAttempt, 'method'>

/**
 * Reports a form whose page was not loaded, because its client sends too many or the link accepts no accounts. Undefined codes
 * and unknown links are nothing to list.
 */
export async function recordRefusedPage(
  deps: ConnectPageDeps,
  request: FastifyRequest,
  { pageId, searchParams, method }: RefusedPage,
  code: ErrorCode | undefined,
): Promise<void> {
  if (code === undefined) return
  const query = parsePageQuery(buildFormQuery(searchParams, getForm(request)))
  const load = () => loadOrigin(deps, request, { pageId, method, query })
  const facts = [query?.integration, query?.accountIdentifier]
  const actor = describeRequest(request)
  await refuseUnloaded(deps, { actor, method, pageId, facts, load }, code)
}

async function loadOrigin(
  deps: ConnectPageDeps,
  { id: requestId }: FastifyRequest,
  {
    pageId,
    method,
    query,
  }: Pick<RefusedPage, 'pageId' | 'method'> & { readonly query: PageQuery | undefined },
): Promise<AttemptOrigin | undefined> {
  const found = await findPageLink(deps, pageId)
  if (found === undefined) return undefined
  const { link, workspace } = found
  const { workspaceId, linkId } = link
  const { userId } = workspace
  const connectSessionId = isId('cns', pageId) ? pageId : null
  const session = connectSessionId && (await deps.visitedSessions.find(connectSessionId))
  const { accountIdentifier = null } = session || { ...query }
  const access = { userId, boundWorkspaceId: workspaceId }
  const definitionId =
    query?.integration === undefined
      ? undefined
      : await deps.definitions.findIdByKey(access, workspaceId, query.integration)
  return {
    actor: { userId, tokenId: null, requestId },
    method,
    workspaceId,
    linkId,
    connectSessionId,
    accountIdentifier,
    definitionId: definitionId ?? null,
    authType: null,
  }
}

/** The error code of a screen that was shown instead of a form; undefined for a failure of the browser. */
export function getScreenCode({ state, data }: Screen): ErrorCode | undefined {
  // As the API says it of a definition that the link does not offer.
  if (state === 'notOffered') return 'unknown_reference'
  const code = String(data?.['data-code'])
  return Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : undefined
}
