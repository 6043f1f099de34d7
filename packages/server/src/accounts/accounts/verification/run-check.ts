import {
  type CheckResult,
  type FactSpecification,
  type LastExchange,
  type Runner,
  RunnerError,
  type TokenObserver,
} from '@linchpin/runner'
import { MAX_SCOPES } from '../../../integrations/oauth/spec/scopes.ts'
import { ApiError, type FieldError, fieldError } from '../../../platform/errors.ts'
import { stripBidiControls } from '../../../platform/i18n/localized-text.ts'
import { toFailureCode } from '../../../platform/record/attempt.ts'
import type { AccountFacts } from '../account.ts'
import type { CheckParams } from '../credentials/account-config.ts'
import type { CheckResponse, RejectedCredentials } from '../schemas.ts'
import { withObservedTokens } from './rotated-tokens.ts'

export interface RunCheckDeps {
  readonly runner: Runner
}

/** A check result, and how the last request of the check ended. */
export interface CheckOutcome {
  readonly result: CheckResponse
  readonly lastExchange: LastExchange
  /** The HTTP status of the provider's last response. */
  readonly lastStatus: number | undefined
  /** The provider's id of that request. */
  readonly lastRequestId: string | undefined
}

/** The message of a check result if the integration rejects credentials without one. */
export const DEFAULT_REJECTION_MESSAGE = 'The credentials were not accepted.'

/** Maximum length of text from a bundle that is passed on, in characters. */
const MAX_TEXT_LENGTH = 500

/**
 * Runs CHECK in the sandbox, and waits for the token requests that it has started. The runner has removed the
 * configuration's values from the bundle's messages; this function truncates them.
 *
 * @throws RunnerError when the bundle crashes or exceeds its limits
 * @throws ApiError `integration_bad_output` when it returns no check result; `provider_…` or `egress_unavailable` when it
 * threw because the provider was unreachable; `oauth_app_secret_required` when it failed because the client secret was
 * withheld
 */
export async function runCheck(deps: RunCheckDeps, subject: CheckParams): Promise<CheckOutcome> {
  const config = { ...subject.config, authType: subject.authType }
  const { value, ...lastRequest } = await deps.runner
    .run({
      bundle: subject.bundle,
      tenant: subject.tenant,
      command: 'CHECK',
      params: { config },
      hosts: subject.hosts,
      tokens: subject.tokens,
      secret: subject.secret,
      onExchange: subject.onExchange,
    })
    .catch((error) => {
      subject.secret?.throwIfDenied()
      return attributeToProvider(error)
    })
    .finally(() => subject.tokens?.settled())
  if (!isCheckResult(value) || !value.status) subject.secret?.throwIfDenied()
  if (!isCheckResult(value))
    throw new ApiError('integration_bad_output', 'The integration did not return a check result.')
  const { lastExchange, lastStatus, lastRequestId } = lastRequest
  const result = toCheckResponse(value, lastExchange)
  return { result, lastExchange, lastStatus, lastRequestId }
}

/** Whether the provider was unreachable, so that a failed check does not mean invalid credentials. */
export function isUnreachable(lastExchange: LastExchange): boolean {
  return lastExchange !== 'none' && lastExchange !== 'answered'
}

/** What is known of a failed check beside its result. */
interface CheckFailure {
  readonly cause?: unknown
  readonly providerStatus?: number | undefined
  readonly providerRequestId?: string | undefined
}

/** The error for an unreachable provider or a failure of our own network: the caller should retry later. */
export function createProviderUnavailableError(
  lastExchange: LastExchange,
  details: CheckFailure = {},
): ApiError {
  if (lastExchange === 'egress_unavailable')
    return new ApiError(
      'egress_unavailable',
      'The provider could not be reached because the outgoing network of Linchpin is unavailable. Nothing was stored.',
      details,
    )
  return lastExchange === 'timeout'
    ? new ApiError(
        'provider_timeout',
        'The provider did not answer in time. Nothing was stored.',
        details,
      )
    : new ApiError(
        'provider_error',
        'The provider is currently unable to check the credentials. Nothing was stored.',
        details,
      )
}

/**
 * Throws unless CHECK accepted the credentials.
 *
 * @throws CredentialsRejectedError; ApiError `provider_…` if the provider was unreachable
 */
export function assertAccepted({
  result,
  lastExchange,
  lastStatus: providerStatus,
  lastRequestId: providerRequestId,
}: CheckOutcome): void {
  if (result.status) return
  const details = { providerStatus, providerRequestId }
  if (isUnreachable(lastExchange)) throw createProviderUnavailableError(lastExchange, details)
  throw new CredentialsRejectedError(result, details)
}

/**
 * CHECK rejected a configuration. `checkResult` has details that the error response omits and the connect page shows.
 */
export class CredentialsRejectedError extends ApiError {
  readonly checkResult: RejectedCredentials

  constructor(checkResult: RejectedCredentials, details: Omit<CheckFailure, 'cause'> = {}) {
    super('credentials_rejected', 'The provider did not accept these credentials.', {
      errors: fieldError('config', 'rejected', checkResult.error),
      ...details,
    })
    this.checkResult = checkResult
  }
}

/**
 * Many integrations throw when the provider is down; report that as a provider error, not as a bug of the
 * integration.
 */
function attributeToProvider(error: unknown): never {
  if (
    error instanceof RunnerError &&
    error.code === 'integration_failed' &&
    isUnreachable(error.lastExchange)
  )
    throw createProviderUnavailableError(error.lastExchange, {
      cause: error,
      providerStatus: error.lastStatus,
      providerRequestId: error.lastRequestId,
    })
  throw error
}

/** A check result as the API shows it. */
function toCheckResponse(result: CheckResult, lastExchange: LastExchange): CheckResponse {
  if (result.status) return { status: true, error: '' }
  // PostgreSQL stores no U+0000.
  const text = (value: unknown) =>
    typeof value === 'string' && value !== ''
      ? value.slice(0, MAX_TEXT_LENGTH).replaceAll('\0', '\u{FFFD}')
      : undefined
  const error = text(result.error) ?? DEFAULT_REJECTION_MESSAGE
  const details = {
    code: toFailureCode(text(result.code)),
    field: text(result.field),
    hint: text(result.hint),
    retryable: typeof result.retryable === 'boolean' ? result.retryable : undefined,
  }
  const reportedDetails = isUnreachable(lastExchange) ? createUnreachableDetails(details) : details
  const definedDetails = Object.entries(reportedDetails).filter(([, value]) => value !== undefined)
  return { status: false, error, ...Object.fromEntries(definedDetails) }
}

/** When the provider was unreachable, the integration may report why, but nothing about the credentials. */
function createUnreachableDetails({ code, field, hint }: CheckDetails): CheckDetails {
  const isHostWrong = code === 'wrong_host'
  return {
    code: code !== undefined && UNREACHABLE_CODES.has(code) ? code : 'provider_unreachable',
    field: isHostWrong ? field : undefined,
    hint,
    retryable: !isHostWrong,
  }
}

type CheckDetails = Readonly<Record<'code' | 'field' | 'hint', string | undefined>> & {
  readonly retryable: boolean | undefined
}

const UNREACHABLE_CODES = new Set(['rate_limited', 'provider_unreachable', 'wrong_host'])

/** Whether a bundle returned a check result. */
function isCheckResult(value: unknown): value is CheckResult {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { status?: unknown }).status === 'boolean'
  )
}

/** The provider's user that credentials belong to. */
export interface Identity {
  /** The provider's id of the user; null if the integration does not return one. */
  readonly id: string | null
  /** A display name; undefined if the integration does not return one. */
  readonly label: string | undefined
  /** The granted scopes; undefined if the integration does not return them. */
  readonly scopes?: readonly string[] | undefined
  /** Set if the provider could not be reached: how the last request failed. */
  readonly unreachable?: LastExchange | undefined
}

/**
 * Runs IDENTITY after CHECK, with the newest access tokens. IDENTITY is optional for integrations: any failure or malformed
 * result counts as unknown. Waits for the token requests that it has started.
 */
export async function fetchIdentity(
  { runner }: RunCheckDeps,
  subject: ObservedSubject,
): Promise<Identity> {
  const { bundle, tenant, hosts, authType, tokens, secret, onExchange } = subject
  try {
    const params = { config: { ...withNewAccessTokens(subject.config, tokens), authType } }
    const { value, lastExchange } = await runner.run({
      bundle,
      tenant,
      command: 'IDENTITY',
      params,
      hosts,
      tokens,
      secret,
      onExchange,
    })
    const { id, label, scopes } = (value ?? {}) as Partial<Record<string, unknown>>
    const identityId = truncateText(typeof id === 'number' ? formatNumericId(id) : id, 255)
    if (identityId === undefined)
      return { ...createUnknownIdentity(lastExchange), label: truncateText(label, 100) }
    return { id: identityId, label: truncateText(label, 100), scopes: parseScopeList(scopes) }
  } catch (error) {
    if (error instanceof RunnerError) return createUnknownIdentity(error.lastExchange)
    throw error
  } finally {
    await tokens.settled()
  }
}

/** The refresh tokens stay as CHECK had them, so that the observer returns the first response at their next use. */
function withNewAccessTokens(
  config: CheckParams['config'],
  { tokens }: TokenObserver,
): CheckParams['config'] {
  if (tokens.length === 0) return config
  const accessTokens = tokens.map((token) => ({ ...token, refreshToken: undefined }))
  return withObservedTokens(config, accessTokens)
}

/** Undefined unless it is a list. What cannot be a scope is left out. */
function parseScopeList(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const scopes = value
    .slice(0, MAX_SCOPES)
    .flatMap((scope) => truncateText(scope, 255)?.trim() ?? [])
  return [...new Set(scopes)]
}

function createUnknownIdentity(lastExchange: LastExchange): Identity {
  const unreachable = isUnreachable(lastExchange) ? lastExchange : undefined
  return { id: null, label: undefined, unreachable }
}

/** Accepts numeric ids, except those that JSON cannot represent exactly. */
function formatNumericId(id: number): string | undefined {
  return Number.isSafeInteger(id) ? String(id) : undefined
}

function truncateText(value: unknown, maxLength: number): string | undefined {
  const isText = typeof value === 'string' && value.length <= maxLength && value.isWellFormed()
  return isText && /^[^\p{Cc}]+$/u.test(value) && value.trim() !== '' ? value : undefined
}

/** The credentials that CHECK has accepted, with the observer of their tokens. */
type ObservedSubject = CheckParams & { readonly tokens: TokenObserver }

/** One value of a fact, and its display name. */
export interface FactChoice {
  readonly value: string
  readonly label: string | null
}

/** A fact of which the provider has several values. */
export interface FactQuestion {
  readonly fact: FactSpecification
  readonly choices: readonly FactChoice[]
  /** The value until now, if the provider still has it. */
  readonly selected?: string | undefined
}

/** Which values a connection should have, if the provider has them. */
export interface FactSelection {
  /** Of the person or the program that connects. Others than those of the provider are refused. */
  readonly selected?: Readonly<Record<string, unknown>>
  /** Of the same connection until now. */
  readonly previous?: AccountFacts
  /** Whether the person may choose another value than until now. */
  readonly asksAgain?: boolean
}

/** The provider has several values of a fact, and no request has chosen one of them. */
export class ChoiceRequiredError extends ApiError {
  readonly questions: readonly FactQuestion[]

  constructor(questions: readonly FactQuestion[]) {
    super('choice_required', 'Choose one of the values in `errors`, and send it in `config`.', {
      errors: Object.fromEntries(
        questions.map(({ fact, choices }) => [
          `config.${fact.name}`,
          choices.slice(0, MAX_REPORTED).map(toFieldError),
        ]),
      ),
    })
    this.questions = questions
  }
}

/** How to inspect a connection. */
export interface InspectOptions {
  /** The facts that the auth type asks for. */
  readonly facts: readonly FactSpecification[]
  readonly selection: FactSelection
  /** Whether IDENTITY runs, too. */
  readonly withIdentity: boolean
  /** Fields that CONNECTED alone sees, because they are not stored. */
  readonly transient?: Readonly<Record<string, unknown>>
  /** Whether the result has the questions that the provider left open. Default: they are an error. */
  readonly returnsQuestions?: boolean
}

/** What the provider says about a connection. */
export interface Inspection {
  /** The facts that are decided, and their values as fields of a configuration. */
  readonly facts: AccountFacts
  readonly factValues: Readonly<Record<string, string>>
  /** Undefined if nothing is open. */
  readonly questions?: readonly FactQuestion[] | undefined
  /** Unknown without `withIdentity`. */
  readonly identity: Identity
}

/**
 * Finds out what the provider says about credentials that CHECK has accepted: the facts of the connection (CONNECTED), then its user
 * (IDENTITY). Waits for the token requests that this starts.
 *
 * @throws ChoiceRequiredError when the provider has several values to choose from; CredentialsRejectedError
 * `insufficient_scope` when it has none; as `runCheck`
 */
export async function inspectConnection(
  deps: RunCheckDeps,
  subject: ObservedSubject,
  { facts: specifications, selection, withIdentity, transient, returnsQuestions }: InspectOptions,
): Promise<Inspection> {
  const { config } = subject
  const seen = { ...subject, config: { ...config, ...transient } }
  const { facts, questions } = await fetchFacts(deps, seen, specifications, selection)
  if (questions !== undefined && !returnsQuestions) throw new ChoiceRequiredError(questions)
  const factValues = toFactValues(facts)
  const identity = withIdentity
    ? await fetchIdentity(deps, { ...subject, config: { ...config, ...factValues } })
    : UNKNOWN_IDENTITY
  return { facts, factValues, questions, identity }
}

/** The user of credentials without a run of IDENTITY. */
export const UNKNOWN_IDENTITY: Identity = { id: null, label: undefined }

/** Runs CONNECTED and decides which facts the connection has. */
async function fetchFacts(
  deps: RunCheckDeps,
  subject: ObservedSubject,
  specifications: readonly FactSpecification[],
  selection: FactSelection,
): Promise<Pick<Inspection, 'facts' | 'questions'>> {
  if (specifications.length === 0) return { facts: {} }
  const { facts, choices } = await runConnected(deps, subject)
  const found: Record<string, AccountFacts[string]> = {}
  const questions: FactQuestion[] = []
  for (const fact of specifications) {
    const [one] = parseChoices([facts[fact.name]])
    const list = Object.hasOwn(choices, fact.name) ? parseChoices(choices[fact.name]) : undefined
    const decided = one ?? decide(fact, list, selection)
    if (decided === undefined) throw createMissingError(fact)
    if (Array.isArray(decided)) questions.push(createQuestion(fact, decided, selection))
    else found[fact.name] = decided as AccountFacts[string]
  }
  return { facts: found, questions: questions.length === 0 ? undefined : questions }
}

function createQuestion(
  fact: FactSpecification,
  choices: readonly FactChoice[],
  { previous = {} }: FactSelection,
): FactQuestion {
  const before = Object.hasOwn(previous, fact.name) ? previous[fact.name]?.value : undefined
  return { fact, choices, selected: choices.find(({ value }) => value === before)?.value }
}

/** The values of facts, for `${name}`. */
export function toFactValues(facts: AccountFacts): Record<string, string> {
  return Object.fromEntries(Object.entries(facts).map(([name, { value }]) => [name, value]))
}

/** What a configuration without facts has for them: accounts may be older than the facts of their integration. */
export function toFacts(values: Readonly<Record<string, unknown>>): AccountFacts {
  const facts = Object.entries(values).map(([name, value]) => [
    name,
    { value: String(value), label: null },
  ])
  return Object.fromEntries(facts)
}

/** The fact, the list to choose from, or undefined if the provider has none. */
function decide(
  { name, pick = 'ask' }: FactSpecification,
  list: readonly FactChoice[] | undefined,
  { selected = {}, previous = {}, asksAgain = false }: FactSelection,
): AccountFacts[string] | readonly FactChoice[] | undefined {
  const before = Object.hasOwn(previous, name) ? previous[name] : undefined
  // A claim of an ID token is known at the sign-in alone.
  if (list === undefined) return before
  const [first, ...others] = list
  if (first === undefined) return undefined
  if (pick === 'all') return { ...first, all: list.slice(0, MAX_ALL) }
  const selectedValue = Object.hasOwn(selected, name) ? selected[name] : undefined
  if (selectedValue !== undefined && selectedValue !== null) {
    const chosen = list.find(({ value }) => value === String(selectedValue))
    return chosen ?? list
  }
  if (others.length === 0 || pick === 'first') return first
  if (asksAgain) return list
  return list.find(({ value }) => value === before?.value) ?? list
}

/** What the provider sends is bounded: more choices than these cannot be shown. */
const MAX_CHOICES = 500
const MAX_REPORTED = 100
/** Lists of accounts and events carry them. */
const MAX_ALL = 50
const MAX_VALUE = 500
const MAX_LABEL = 200

function parseChoices(items: unknown): FactChoice[] {
  if (!Array.isArray(items)) return []
  const choices = new Map<string, FactChoice>()
  for (const item of items.slice(0, MAX_CHOICES)) {
    const { value, label } = (item ?? {}) as { value?: unknown; label?: unknown }
    if (!isPlainText(value) || value.length > MAX_VALUE || choices.has(value)) continue
    choices.set(value, { value, label: toLabel(label) })
  }
  return [...choices.values()]
}

function toLabel(label: unknown): string | null {
  if (typeof label !== 'string') return null
  const text = stripBidiControls(label.toWellFormed())
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  return text === '' ? null : text.slice(0, MAX_LABEL).toWellFormed()
}

function isPlainText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.isWellFormed() &&
    /^[^\p{Cc}\p{Zl}\p{Zp}\ufffd]+$/u.test(value) &&
    value.trim() === value
  )
}

function toFieldError({ value, label }: FactChoice): FieldError {
  return { code: 'choice', message: label ?? value, value }
}

function createMissingError({ title, hint }: FactSpecification): CredentialsRejectedError {
  return new CredentialsRejectedError({
    status: false,
    error: `The credentials work, but they give access to none: ${title}.`,
    code: 'insufficient_scope',
    ...(hint !== undefined && { hint }),
  })
}

async function runConnected(
  deps: RunCheckDeps,
  { tokens, authType, secret, ...subject }: ObservedSubject,
) {
  const { bundle, tenant, hosts } = subject
  const params = { config: { ...withNewAccessTokens(subject.config, tokens), authType } }
  const { value, ...last } = await deps.runner
    .run({ bundle, tenant, command: 'CONNECTED', params, hosts, tokens, secret })
    .catch((error) => {
      secret?.throwIfDenied()
      if (error instanceof RunnerError) return attributeToProvider(error)
      throw error
    })
    .finally(() => tokens.settled())
  const { lastExchange, lastStatus: providerStatus, lastRequestId: providerRequestId } = last
  if (isCheckResult(value)) {
    secret?.throwIfDenied()
    const details = { providerStatus, providerRequestId }
    if (isUnreachable(lastExchange)) throw createProviderUnavailableError(lastExchange, details)
    throw new CredentialsRejectedError(toRejection(value, last), details)
  }
  const { facts, choices } = (value ?? {}) as { facts?: unknown; choices?: unknown }
  return { facts: toRecord(facts), choices: toRecord(choices) }
}

function toRejection(
  value: CheckResult,
  last: { lastExchange: Parameters<typeof toCheckResponse>[1] },
) {
  const result = toCheckResponse({ ...value, status: false }, last.lastExchange)
  if (result.status) throw new Error('A failed check has no result.')
  return result
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
