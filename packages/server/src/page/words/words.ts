import type { FailureCode, Sentence, State, StateFacts } from './facts.ts'

export type { Told } from './facts.ts'

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
  /** What the workspace can do then, and what becomes of what is entered. */
  readonly body: Sentence<'workspace' | 'tool'>
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
  /** Over such a form, when a key was in it that the form does not have any more. */
  readonly typeAgain: string
  /** Over a form whose visit is not known any more. */
  readonly visitLost: string
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
  /** How several values are written into one field. */
  readonly linesHelp: string
  readonly jsonHelp: string
}
