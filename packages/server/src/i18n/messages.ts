import type {
  FailureCode,
  MessageTemplate,
  ScreenMessageParams,
  TextTemplate,
} from './message-params.ts'

export type { Message } from './message-params.ts'

/**
 * Every word on our pages. One object per language (en.ts, de.ts, …), chosen by select-messages.ts. Names, hosts and numbers
 * come as arguments; pages escape them and keep their direction apart (phrase.ts).
 */
export interface Messages {
  /** Small print under each page. */
  readonly secured: string
  readonly privacy: string
  readonly terms: string
  readonly action: ActionMessages
  readonly picker: PickerMessages
  readonly auth: AuthMessages
  readonly form: FormMessages
  readonly states: {
    readonly [Name in keyof ScreenMessageParams]: MessageTemplate<ScreenMessageParams[Name]>
  }
  readonly failures: { readonly [Code in FailureCode]: TextTemplate<'tool' | 'workspace'> }
}

/** Buttons and links. */
export interface ActionMessages {
  readonly back: string
  readonly close: string
  readonly cancel: string
  readonly done: string
  readonly tryAgain: string
  readonly startAgain: string
  /** Ask the server again, now. */
  readonly checkAgain: string
  readonly chooseAnother: string
  readonly connectAnother: string
  readonly openAgain: string
  readonly connect: TextTemplate<'tool'>
  readonly continueTo: TextTemplate<'tool'>
  readonly returnTo: TextTemplate<'workspace'>
}

/** The list of tools. */
export interface PickerMessages {
  readonly title: TextTemplate<'workspace'>
  readonly body: string
  readonly search: string
  readonly searchButton: string
  readonly clear: string
  readonly categories: string
  readonly all: string
  /** How many tools are shown; read out while searching. */
  readonly found: TextTemplate<'count'>
  readonly noMatch: MessageTemplate<'query'>
  /** Heading of what was connected in this visit. */
  readonly connectedHere: string
  readonly connected: string
  /** Marks on a tool. */
  readonly custom: string
  /** Known categories by key in lower case; others are shown as they are. */
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

/** Ways to connect one tool. */
export interface AuthMessages {
  readonly title: TextTemplate<'tool'>
  readonly body: string
  readonly signIn: TextTemplate<'tool'>
  readonly signInLine: TextTemplate<'host'>
  readonly recommended: string
  readonly apiKey: string
  readonly apiKeyLine: TextTemplate<'tool'>
  readonly token: string
  readonly password: string
  readonly passwordLine: string
  /** A way with a name of its own, given as `label`. */
  readonly other: TextTemplate<'label'>
}

/** A form of keys and details. */
export interface FormMessages {
  readonly title: TextTemplate<'tool'>
  readonly who: TextTemplate<'workspace' | 'tool'>
  /** What the workspace can do then, and what becomes of what is entered. */
  readonly body: TextTemplate<'workspace' | 'tool'>
  readonly custom: TextTemplate<'workspace' | 'tool'>
  readonly optional: string
  readonly choose: string
  readonly show: string
  readonly hide: string
  readonly showField: TextTemplate<'label'>
  readonly hideField: TextTemplate<'label'>
  readonly whereToFind: string
  readonly newWindow: string
  /** Over a form that was sent with faults. */
  readonly faults: TextTemplate<'count'>
  /** Over such a form, when a key was in it that the form does not have any more. */
  readonly reenterSecrets: string
  /** Over a form whose visit is not known any more. */
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
  /** How several values are written into one field. */
  readonly linesHelp: string
  readonly jsonHelp: string
}
