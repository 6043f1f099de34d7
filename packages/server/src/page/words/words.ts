import type { Text } from '../phrase.ts'

/**
 * Every word on our pages. One object per language (en.ts, de.ts, …), chosen by words-of.ts. Names, hosts and numbers
 * come as arguments; pages escape them and keep their direction apart (phrase.ts).
 */
export interface Words {
  /** Small print under each page. */
  readonly secured: string
  readonly privacy: string
  readonly terms: string
  readonly action: ActionWords
  readonly picker: PickerWords
  readonly auth: AuthWords
  readonly form: FormWords
  readonly states: { readonly [Name in keyof StateFacts]: State<StateFacts[Name]> }
  readonly failures: { readonly [Code in FailureCode]: Sentence<'tool' | 'workspace'> }
}

/** What sentences may name. Each asks for what it needs. */
export interface Facts {
  readonly workspace: string
  readonly tool: string
  /** Where a person signs in, such as `github.com`. */
  readonly host: string
  /** The name of a connected account. */
  readonly account: string
  /** What was searched for. */
  readonly query: string
  /** The label of a field. */
  readonly label: string
  /** A moment; shown as a day, UTC. */
  readonly at: Date
  readonly seconds: number
  readonly count: number
}

export type Sentence<Name extends keyof Facts = never> = (facts: Pick<Facts, Name>) => Text

/** The words of one screen: what is so, and what it means. */
export interface Told {
  readonly title: Text
  readonly body: Text
}

export type State<Name extends keyof Facts = never> = (facts: Pick<Facts, Name>) => Told

/** Buttons and links. */
export interface ActionWords {
  readonly back: string
  readonly close: string
  readonly cancel: string
  readonly done: string
  readonly tryAgain: string
  readonly startAgain: string
  /** Ask the server again, now. */
  readonly checkAgain: string
  readonly useAnotherKey: string
  readonly useAnotherWay: string
  readonly chooseAnother: string
  readonly connectAnother: string
  readonly openAgain: string
  readonly connect: Sentence<'tool'>
  readonly continueTo: Sentence<'tool'>
  readonly returnTo: Sentence<'workspace'>
}

/** The list of tools. */
export interface PickerWords {
  readonly title: Sentence<'workspace'>
  readonly body: string
  readonly search: string
  readonly searchButton: string
  readonly clear: string
  readonly categories: string
  readonly all: string
  /** How many tools are shown; read out while searching. */
  readonly found: Sentence<'count'>
  readonly noMatch: State<'query'>
  /** Heading of what was connected in this visit. */
  readonly connectedHere: string
  readonly connected: string
  /** Marks on a tool. */
  readonly custom: string
  readonly alpha: string
  readonly beta: string
  /** Known categories by key in lower case; others are shown as they are. */
  readonly category: Readonly<Record<CategoryKey, string>>
}

export type CategoryKey =
  | 'accounting'
  | 'analytics'
  | 'calendar'
  | 'communication'
  | 'crm'
  | 'design'
  | 'development'
  | 'documentation'
  | 'email'
  | 'hr'
  | 'marketing'
  | 'monitoring'
  | 'other'
  | 'payments'
  | 'sales'
  | 'storage'
  | 'support'
  | 'ticketing'

/** Ways to connect one tool. */
export interface AuthWords {
  readonly title: Sentence<'tool'>
  readonly body: string
  readonly signIn: Sentence<'tool'>
  readonly signInLine: Sentence<'host'>
  readonly recommended: string
  readonly apiKey: string
  readonly apiKeyLine: Sentence<'tool'>
  readonly token: string
  readonly password: string
  readonly passwordLine: string
  /** A way with a name of its own, given as `label`. */
  readonly other: Sentence<'label'>
}

/** A form of keys and details. */
export interface FormWords {
  readonly title: Sentence<'tool'>
  readonly who: Sentence<'workspace' | 'tool'>
  readonly body: Sentence<'tool'>
  readonly custom: Sentence<'workspace' | 'tool'>
  readonly optional: string
  readonly choose: string
  readonly show: string
  readonly hide: string
  readonly showField: Sentence<'label'>
  readonly hideField: Sentence<'label'>
  readonly whereToFind: string
  readonly newWindow: string
  /** Over a form that was sent with faults. */
  readonly faults: Sentence<'count'>
  readonly typeAgain: string
  readonly missing: Sentence<'label'>
  readonly notChosen: Sentence<'label'>
  readonly notEmail: string
  readonly notUrl: string
  readonly notNumber: string
  readonly notDate: string
  readonly tooShort: Sentence<'count'>
  readonly tooLong: Sentence<'count'>
  readonly tooSmall: Sentence<'count'>
  readonly tooLarge: Sentence<'count'>
  readonly notLike: Sentence<'label'>
  readonly example: Sentence<'label'>
}

/** Each screen that tells one thing → what its words need. */
export interface StateFacts {
  readonly noneInWorkspace: 'workspace'
  readonly noneMatchKeys: 'workspace'
  readonly noneWithSignIn: 'workspace'
  readonly appMissing: 'workspace' | 'tool'
  /** Before going: who asks, and where one signs in. */
  readonly signIn: 'workspace' | 'tool' | 'host'
  readonly signInAgain: 'workspace' | 'tool' | 'host'
  /** The small print of signing in; its title warns of a custom definition. */
  readonly beforeSignIn: 'workspace' | 'tool' | 'host'
  readonly waitingSignIn: 'tool'
  readonly popupBlocked: 'tool'
  readonly windowClosed: 'tool'
  readonly checking: 'tool'
  readonly slow: 'tool'
  readonly offline: never
  readonly connected: 'tool' | 'workspace'
  readonly connectedAs: 'tool' | 'workspace' | 'account'
  /** Its body is one of `failures`. */
  readonly failed: 'tool'
  readonly expired: 'workspace' | 'at'
  readonly revoked: 'workspace'
  readonly unknownLink: never
  readonly full: 'workspace'
  readonly identifierFull: 'workspace'
  readonly alreadyFinished: 'tool'
  readonly stillRunning: 'tool'
  readonly rateLimited: 'seconds'
  readonly notHere: never
  readonly notOurs: never
  /** For its developer: the address to go back to is not on the list. */
  readonly redirectNotAllowed: never
  readonly busy: never
  readonly closed: never
  /** A page of signing in that is used up or too old. */
  readonly notKnown: never
  readonly finished: never
  readonly otherBrowser: never
}

export type FailureCode =
  | 'access_denied'
  | 'credentials_rejected'
  | 'identity_mismatch'
  | 'insufficient_scope'
  | 'integration_failed'
  | 'integration_timeout'
  | 'invalid_credentials'
  | 'link_expired'
  | 'link_full'
  | 'link_identifier_full'
  | 'link_revoked'
  | 'oauth_app_missing'
  | 'oauth_attempt_invalid'
  | 'oauth_issuer_mismatch'
  | 'other_browser'
  | 'provider_error'
  | 'provider_timeout'
  | 'rate_limited'
  | 'sign_in_overdue'
  | 'wrong_host'
  | 'unknown'
