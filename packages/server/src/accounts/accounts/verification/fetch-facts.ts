import {
  type CheckResult,
  type FactSpecification,
  RunnerError,
  type TokenObserver,
} from '@linchpin/runner'
import { ApiError, type FieldError } from '../../../platform/errors.ts'
import { stripBidiControls } from '../../../platform/i18n/localized-text.ts'
import type { AccountFacts } from '../account.ts'
import type { CheckParams } from '../credentials/account-config.ts'
import {
  attributeToProvider,
  CredentialsRejectedError,
  createProviderUnavailableError,
  isCheckResult,
  isUnreachable,
  type RunCheckDeps,
  toCheckResponse,
  withNewAccessTokens,
} from './run-check.ts'

/** The credentials that CHECK has accepted, with the observer of their tokens. */
type FactSubject = CheckParams & { readonly tokens: TokenObserver }

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
  /** The facts that are decided. */
  readonly facts: AccountFacts

  constructor(questions: readonly FactQuestion[], facts: AccountFacts) {
    super('choice_required', 'Choose one of the values in `errors`, and send it in `config`.', {
      errors: Object.fromEntries(
        questions.map(({ fact, choices }) => [
          `config.${fact.name}`,
          choices.slice(0, MAX_REPORTED).map(toFieldError),
        ]),
      ),
    })
    this.questions = questions
    this.facts = facts
  }
}

/**
 * Runs CONNECTED after CHECK and decides which facts the connection has. Waits for the token requests that it has started.
 *
 * @throws ChoiceRequiredError when the provider has several values to choose from; CredentialsRejectedError
 * `insufficient_scope` when it has none; as `runCheck`
 */
export async function fetchFacts(
  deps: RunCheckDeps,
  subject: FactSubject,
  specifications: readonly FactSpecification[],
  selection: FactSelection,
): Promise<AccountFacts> {
  if (specifications.length === 0) return {}
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
  if (questions.length > 0) throw new ChoiceRequiredError(questions, found)
  return found
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
  { tokens, authType, secret, ...subject }: FactSubject,
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
