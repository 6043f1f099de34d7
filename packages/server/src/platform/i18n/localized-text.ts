import { once } from '../once.ts'

/**
 * A message that contains names. A name may run in either direction, so each is isolated from the text around it: with
 * `<bdi>` in HTML (`html.ts`), with Unicode isolates in plain text.
 */
export class LocalizedText {
  /** The text around the names: one string more than there are names. */
  readonly strings: readonly string[]
  /** The names, unescaped. */
  readonly values: readonly string[]

  constructor(strings: readonly string[], values: readonly string[]) {
    this.strings = strings
    this.values = values
  }

  /** Plain text, for titles and attributes. Isolates are inserted only where both directions occur. */
  toString(): string {
    const cleaned = this.values.map(stripBidiControls)
    const hasMixedDirections = RIGHT_TO_LEFT.test([...this.strings, ...cleaned].join(''))
    return this.strings.reduce((text, part, index) => {
      const value = cleaned[index - 1] ?? ''
      return text + (hasMixedDirections ? `\u2068${value}\u2069` : value) + part
    })
  }
}

/** A message with or without names. */
export type Text = string | LocalizedText

/** Template tag for texts with names, which are shown unchanged. */
export function t(strings: TemplateStringsArray, ...values: readonly string[]): LocalizedText {
  return new LocalizedText(strings, values)
}

/**
 * The template tag of a language: names are shown unchanged, except that `Messages.thisApp` is capitalized at the start of a
 * sentence.
 */
export function createTextTag(thisApp: string): typeof t {
  return (strings, ...values) =>
    new LocalizedText(
      strings,
      values.map((value, index) =>
        value === thisApp && startsSentence(strings, index) ? capitalize(value) : value,
      ),
    )
}

function startsSentence(strings: readonly string[], index: number): boolean {
  const preceding = strings[index] ?? ''
  return preceding === '' ? index === 0 : /[.?!]\s$/.test(preceding)
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Removes bidirectional control characters, which could make one name read as another. */
export function stripBidiControls(text: string): string {
  return text.replace(BIDI_CONTROLS, '')
}

const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/** The values that messages may contain. Each message declares those it needs. */
export interface MessageParams {
  readonly workspace: string
  readonly tool: string
  /** What an MCP client calls itself. */
  readonly client: string
  /** Where a person or an answer goes, such as `github.com`. */
  readonly host: string
  /** The name of a connected account. */
  readonly account: string
  /** The search query. */
  readonly query: string
  /** The label of a field. */
  readonly label: string
  /** Shown as a date in UTC. */
  readonly at: Date
  readonly seconds: number
  readonly count: number
  readonly total: number
}

export type TextTemplate<Name extends keyof MessageParams = never> = (
  params: Pick<MessageParams, Name>,
) => Text

/** The texts of one screen. */
export interface Message {
  readonly title: Text
  readonly body: Text
}

export type MessageTemplate<Name extends keyof MessageParams = never> = (
  params: Pick<MessageParams, Name>,
) => Message

/** The parameters of each screen's message. */
export interface ScreenMessageParams {
  readonly noneInWorkspace: 'workspace'
  readonly noneMatchKeys: 'workspace'
  readonly noneWithSignIn: 'workspace'
  readonly appMissing: 'workspace' | 'tool'
  /** The same for an account that exists. */
  readonly appRemoved: 'workspace' | 'tool'
  /** The tool of an account, or all tools of a session, are no longer offered. */
  readonly toolGone: 'workspace'
  /** Before the redirect to the provider. */
  readonly signIn: 'workspace' | 'tool' | 'host'
  readonly signInAgain: 'workspace' | 'tool' | 'host'
  /** The notes under a sign-in form; the title is the warning for a custom definition. */
  readonly beforeSignIn: 'workspace' | 'tool' | 'host'
  readonly waitingSignIn: 'tool'
  readonly popupBlocked: 'tool'
  /** Sign-in continues in a new tab, because it never runs inside a frame. */
  readonly popupBlockedInFrame: 'tool'
  /** The window appears closed; a provider's COOP header can cause that while it is open. */
  readonly windowClosed: 'tool'
  readonly checking: 'tool'
  readonly slow: 'tool'
  readonly offline: never
  readonly connected: 'tool' | 'workspace'
  readonly connectedAs: 'tool' | 'workspace' | 'account'
  /** Shown with one of `failures` as its body. */
  readonly failed: 'tool'
  /** The same user of the tool is connected; the person chooses what to do. */
  readonly alreadyConnected: 'tool' | 'account'
  /** The provider has several sites, tenants or companies; the fields ask for one. */
  readonly chooseFacts: 'tool'
  readonly expired: 'workspace' | 'at'
  readonly revoked: 'workspace'
  readonly unknownLink: never
  readonly full: 'workspace'
  readonly identifierFull: 'workspace'
  readonly alreadyFinished: 'tool'
  readonly stillRunning: 'tool'
  readonly rateLimited: 'seconds'
  readonly tooManyFailed: 'seconds'
  readonly notHere: never
  readonly notOurs: never
  /** For developers: the redirect URL is not on the allowlist. */
  readonly redirectNotAllowed: never
  /** The first page of a connect session, whose button binds it to the browser. */
  readonly sessionStart: 'workspace'
  /** The same of a session for one tool. */
  readonly sessionStartOne: 'workspace' | 'tool'
  /** A connect session that cannot be used here, or any more. */
  readonly sessionRefused: never
  /** The same for a visitor who has its token: it has done what it was for, or another browser has opened it. */
  readonly sessionUsed: 'workspace'
  readonly sessionElsewhere: 'workspace'
  /** The link accepts only visitors with a connect session. */
  readonly sessionRequired: never
  /** For developers: the account identifier in the URL is invalid. */
  readonly wrongAddress: never
  /** A form was submitted for an integration or auth method that is no longer offered. */
  readonly notOffered: 'tool' | 'workspace'
  readonly wayChanged: 'tool' | 'workspace'
  readonly busy: never
  readonly closed: never
  /** A sign-in page that was already used or has expired. */
  readonly notKnown: never
  readonly finished: never
  /** The provider reports the consent of an administrator, without a sign-in. */
  readonly adminConsent: never
  /** The provider, or no one, has started the sign-in. */
  readonly startedElsewhere: never
  readonly otherBrowser: never
}

export type FailureCode =
  | 'access_denied'
  | 'admin_consent_granted'
  | 'already_connected'
  | 'authorization_request_failed'
  | 'cancelled'
  | 'credentials_rejected'
  | 'egress_unavailable'
  | 'identity_mismatch'
  | 'insufficient_scope'
  | 'integration_failed'
  | 'integration_timeout'
  | 'key_rejected'
  | 'link_expired'
  | 'link_full'
  | 'link_identifier_full'
  | 'link_revoked'
  | 'oauth_app_missing'
  | 'oauth_attempt_invalid'
  | 'oauth_issuer_mismatch'
  | 'oauth_start_revoked'
  | 'other_browser'
  | 'provider_error'
  | 'provider_timeout'
  | 'rate_limited'
  | 'sign_in_overdue'
  | 'sign_in_rejected'
  | 'window_replaced'
  | 'wrong_host'
  | 'unknown'

/** Formats numbers, dates and durations for one language (Intl). */
export interface Formatters {
  number(value: number): string
  /** A long date in UTC: `21 November 2026`. */
  day(value: Date): string
  /** Time from now, rounded up to seconds, minutes or hours: `in 3 minutes`. */
  relativeTime(seconds: number): string
  /** Whole days before today: `today`, `yesterday`, `3 days ago`. */
  daysAgo(days: number): string
  /** A day and a time of UTC, which is named. */
  minute(value: Date): string
  /** The plural form for a count; `other` is the default. */
  plural(
    count: number,
    forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>,
  ): string
}

/** Returns the formatters of a locale (BCP 47). Each Intl object is created on first use. */
export function getFormatters(locale: string): Formatters {
  const numbers = once(() => new Intl.NumberFormat(locale))
  const days = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }))
  const minutes = once(
    () =>
      new Intl.DateTimeFormat(locale, {
        dateStyle: 'medium',
        timeStyle: 'short',
        timeZone: 'UTC',
      }),
  )
  const relativeTimes = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'always' }))
  const dayNames = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
  const plurals = once(() => new Intl.PluralRules(locale))
  return {
    number: (value) => numbers().format(value),
    day: (value) => days().format(value),
    relativeTime: (seconds) => {
      const wholeSeconds = Math.max(1, Math.ceil(seconds))
      if (wholeSeconds < 60) return relativeTimes().format(wholeSeconds, 'second')
      if (wholeSeconds < 3_600)
        return relativeTimes().format(Math.ceil(wholeSeconds / 60), 'minute')
      return relativeTimes().format(Math.ceil(wholeSeconds / 3_600), 'hour')
    },
    minute: (value) => `${minutes().format(value)} UTC`,
    daysAgo: (count) => dayNames().format(-count, 'day'),
    plural: (count, forms) => forms[plurals().select(count)] ?? forms.other,
  }
}
