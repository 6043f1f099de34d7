import type { IntegrationDefinition, Linchpin } from '@linchpin/sdk'
import type { Level } from '../access/members/roles.ts'
import type { Html } from '../platform/ui/html.ts'
import type { ConsoleSession } from './sign-in/session.ts'
import type { Words } from './words/en.ts'

/** The entry of the navigation that a screen belongs to. */
export type Section = keyof Words['sections']

/** One state of a screen. */
export interface Page {
  readonly title: string
  readonly section: Section
  /** HTTP status. Default: 200; a form that has to be corrected is 422. */
  readonly status?: number | undefined
  /** The screen above this one. */
  readonly parent?: { readonly href: string; readonly label: string } | undefined
  /** Beside the title: an icon, a status. */
  readonly mark?: Html | undefined
  readonly note?: Html | undefined
  /** At the end of the title: buttons, the primary one last. */
  readonly actions?: readonly Html[] | undefined
  /** What is wrong, who has to act, one button. */
  readonly banner?: Html | undefined
  readonly tabs?: Html | undefined
  readonly main: Html
  /** Whether it refreshes when something happens in the workspace. */
  readonly isLive?: boolean | undefined
  /** Whether it also refreshes every five seconds: what it shows is not told by events. */
  readonly isProgress?: boolean | undefined
}

/** Leads to another screen, which shows the notice once. */
export interface Redirect {
  readonly location: string
  readonly notice?: string | undefined
  /** `alert` if what the person wanted did not happen, or is bad news. Default: `good`. */
  readonly noticeTone?: NoticeTone | undefined
}

export type NoticeTone = 'good' | 'alert'

/** What a page says once, after a form. */
export interface Notice {
  readonly text: string
  readonly tone: NoticeTone
}

/** A file instead of a screen. */
export interface Download {
  readonly fileName: string
  readonly contentType: string
  /** Null: nothing. */
  readonly body: string | ReadableStream<Uint8Array> | null
}

/** A document of its own for a frame of the console, without scripts and forms. */
export interface Framed {
  /** Renders it; its styles have this nonce. */
  readonly render: (nonce: string) => string
}

export type Answer = Page | Redirect | Download | Framed

/** What a screen knows of its request. */
export interface View {
  readonly session: ConsoleSession
  /** The public API with the normal scopes of the person's role. */
  readonly api: Linchpin
  readonly words: Words
  /** The query of the URL. */
  readonly query: URLSearchParams
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  /** Epoch milliseconds. */
  readonly now: number
  /** The base URL of the API and of the pages of customers, without a slash at the end. */
  readonly publicUrl: string
  /** Whether single letters are keys: people can turn them off. */
  readonly hasLetterKeys: boolean
  /** The integrations that the workspace can use. What has changed within the last five seconds on another node may be missing. */
  definitionNames(): Promise<DefinitionNames>
  /** The hidden fields of a form that submits to this path: without them, it is rejected. */
  formFields(path: string): Html
  /** The API at another level; undefined while the session does not have it, or the person may not have it. */
  openApi(level: Level): Promise<Linchpin | undefined>
}

/** Integrations by their IDs: screens show their names and icons. */
export type DefinitionNames = ReadonlyMap<
  string,
  Pick<IntegrationDefinition, 'name' | 'icon' | 'key'>
>

/** A submitted form. */
export interface Submission extends View {
  readonly form: URLSearchParams
  /** Identifies the form in all of its submissions: the `Idempotency-Key` of what it changes. */
  readonly formId: string
}

/** A screen of the console: what it shows, and what its forms do. */
export interface Screen {
  /** The path below `/console`, such as `/connections/:integrationAccountId`. */
  readonly path: string
  readonly show: (view: View) => Promise<Answer>
  /** By path below that of the screen, such as `/disconnect`; empty for the screen's own. */
  readonly actions?: Readonly<Record<string, (submission: Submission) => Promise<Answer>>>
  /** Whether its forms have files. */
  readonly takesFiles?: boolean
}

export function isRedirect(answer: Answer): answer is Redirect {
  return 'location' in answer
}

export function isFramed(answer: Answer): answer is Framed {
  return 'render' in answer
}

export function isDownload(answer: Answer): answer is Download {
  return 'fileName' in answer
}
