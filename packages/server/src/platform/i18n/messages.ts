import type {
  FailureCode,
  MessageTemplate,
  ScreenMessageParams,
  TextTemplate,
} from './message-params.ts'
import type { PortalMessages } from './portal-messages.ts'

export type { Message } from './message-params.ts'

/**
 * Every text of our pages: one object per language (`en.ts`, `de.ts`, …), chosen by `getMessages`. Names, hosts and numbers
 * are parameters; pages escape them and isolate their direction (`LocalizedText`).
 */
export interface Messages {
  /** In the footer of each page. */
  readonly secured: string
  readonly privacy: string
  readonly terms: string
  /** Stands for the name of a workspace that has none, in lower case; `t` capitalizes it at the start of a sentence. */
  readonly thisApp: string
  readonly action: ActionMessages
  readonly picker: PickerMessages
  readonly auth: AuthMessages
  readonly form: FormMessages
  readonly states: {
    readonly [Name in keyof ScreenMessageParams]: MessageTemplate<ScreenMessageParams[Name]>
  }
  readonly portal: PortalMessages
  /** By error code: what happened and what to do about it. */
  readonly failures: { readonly [Code in FailureCode]: TextTemplate<'tool' | 'workspace'> }
}

/** Buttons and links. */
export interface ActionMessages {
  readonly back: string
  readonly close: string
  readonly cancel: string
  readonly done: string
  readonly tryAgain: string
  readonly continue: string
  readonly startAgain: string
  /** Polls the server now. */
  readonly checkAgain: string
  readonly chooseAnother: string
  readonly connectAnother: string
  /** The choices if the same user of the tool is connected. */
  readonly updateConnection: string
  readonly addConnection: string
  readonly openAgain: string
  readonly connect: TextTemplate<'tool'>
  readonly continueTo: TextTemplate<'tool'>
  readonly returnTo: TextTemplate<'workspace'>
  /** While the page is about to return by itself, and the button that prevents it. */
  readonly returning: TextTemplate<'workspace'>
  readonly stay: string
}

/** The list of integrations. */
export interface PickerMessages {
  readonly title: TextTemplate<'workspace'>
  readonly body: string
  readonly search: string
  readonly searchButton: string
  /** Passes over the categories, for a keyboard without the script. */
  readonly skip: string
  readonly clear: string
  readonly categories: string
  readonly all: string
  /** How many integrations are shown; announced while the person types. */
  readonly resultCount: TextTemplate<'count'>
  readonly noMatch: MessageTemplate<'query'>
  /** Heading of the accounts that were connected in this session. */
  readonly connectedHere: string
  readonly connected: string
  /** Badge of a custom integration. */
  readonly custom: string
  /** Badge of the test tool, Acme Sandbox. */
  readonly test: string
  /** Known categories by lower-case key; other categories are shown under their own name. */
  readonly category: Readonly<Record<CategoryKey, string>>
}

export type CategoryKey =
  | 'accounting'
  | 'ai'
  | 'analytics'
  | 'ats'
  | 'calendar'
  | 'crm'
  | 'developer_tools'
  | 'documentation'
  | 'hris'
  | 'identity'
  | 'mail'
  | 'marketing'
  | 'messaging'
  | 'other'
  | 'payments'
  | 'project_management'
  | 'social'
  | 'storage'
  | 'support'
  | 'ticketing'

/** The auth methods of one integration. */
export interface AuthMessages {
  readonly title: TextTemplate<'tool'>
  readonly body: string
  readonly signIn: TextTemplate<'tool'>
  readonly signInLine: TextTemplate<'host'>
  readonly recommended: string
  readonly apiKey: string
  readonly apiKeyLine: TextTemplate<'tool'>
  readonly tokenLine: TextTemplate<'tool'>
  readonly token: string
  readonly password: string
  readonly passwordLine: string
  /** What a method asks for: the labels of its fields. */
  readonly fieldsLine: TextTemplate<'label'>
  /** Heading of the scopes that a sign-in requests. */
  readonly scopes: TextTemplate<'workspace'>
  /** Unfolds the rest of them, always several. */
  readonly moreScopes: TextTemplate<'count'>
  /** A method that only the spec names (`label`). */
  readonly other: TextTemplate<'label'>
}

/** The credentials form. */
export interface FormMessages {
  readonly title: TextTemplate<'workspace' | 'tool'>
  /** The title of the form for an account that exists. */
  readonly reconnectTitle: TextTemplate<'tool' | 'workspace'>
  /** Unfolds the stored values of the account that is reconnected. */
  readonly change: string
  /** What the workspace will be able to do, and how the credentials are stored. */
  readonly body: TextTemplate<'workspace' | 'tool'>
  /** The same for a form whose only secret is a key. */
  readonly bodyForKey: TextTemplate<'workspace' | 'tool'>
  readonly custom: TextTemplate<'workspace' | 'tool'>
  readonly optional: string
  readonly choose: string
  readonly show: string
  readonly hide: string
  readonly showField: TextTemplate<'label'>
  readonly hideField: TextTemplate<'label'>
  readonly whereToFind: string
  readonly newWindow: string
  /** Above a form with invalid fields. */
  readonly fieldErrors: TextTemplate<'count'>
  /** Above a rejected form whose secrets must be entered again. */
  readonly reenterSecrets: string
  /** Above a form whose session has expired. */
  readonly sessionLost: string
  readonly missing: TextTemplate<'label'>
  readonly notChosen: TextTemplate<'label'>
  readonly notEmail: string
  readonly notUrl: string
  readonly notNumber: string
  readonly notDate: string
  readonly tooShort: TextTemplate<'count'>
  readonly tooLong: TextTemplate<'count'>
  readonly tooSmall: TextTemplate<'count'>
  readonly tooLarge: TextTemplate<'count'>
  readonly patternMismatch: TextTemplate<'label'>
  readonly example: TextTemplate<'label'>
  /** How to enter several values in one field. */
  readonly linesHelp: string
  readonly jsonHelp: string
}
