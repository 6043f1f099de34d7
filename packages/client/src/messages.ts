/** What the page around the connect page may know of an account: ids and names, never what was typed. */
export interface LinkedAccount {
  readonly integrationAccountId: string
  readonly integrationAccountName: string
  readonly integrationDefinitionId: string
  readonly integrationName: string
  readonly integrationKey: string
  readonly accountIdentifier: string | null
  readonly linkId: string
}

/** Why something did not work. */
export interface LinkFailure {
  /** One of docs/errors.md or of the states of docs/connect-page.md, or `frame_not_allowed`, `frame_timeout`. */
  readonly code: string
  /** For your log. */
  readonly message: string
  /** For the person, in their language. */
  readonly displayMessage: string
  /** Whether trying again may help without anybody changing anything. */
  readonly retryable: boolean
}

/** How a visit ended. */
export interface LinkExit {
  /**
   * `done`: with the button of the last screen; `closed`: with the X; `escape`; `host`: by the page around; `replaced`: it
   * opened another one.
   */
  readonly reason: 'closed' | 'done' | 'escape' | 'host' | 'replaced'
  /** The state that was shown last, such as `connected`, `form` or `waitingSignIn`. */
  readonly status: string
}

export type LinkEventName =
  | 'CLOSE_OAUTH'
  | 'CONNECTED'
  | 'ERROR'
  | 'EXIT'
  | 'FAIL_OAUTH'
  | 'OPEN'
  | 'OPEN_OAUTH'
  | 'POPUP_BLOCKED'
  | 'READY'
  | 'SELECT_INTEGRATION'
  | 'SUBMIT_CREDENTIALS'

/** Facts of an event: keys, codes and states; never what was typed. */
export type LinkEventMeta = Readonly<Record<string, string>>

/** What the page around may set; it wins over the address of the frame. */
export interface LinkInit {
  readonly accountIdentifier?: string | undefined
  readonly redirectURL?: string | undefined
  readonly integration?: string | undefined
  readonly lang?: string | undefined
  readonly theme?: 'dark' | 'light' | undefined
}

/** What the frame tells: type → payload. */
export interface FrameMessages {
  readonly ready: Readonly<Record<string, never>>
  readonly opened: { readonly status: string }
  readonly event: { readonly name: LinkEventName; readonly meta: LinkEventMeta }
  readonly success: { readonly account: LinkedAccount }
  readonly error: LinkFailure
  readonly exit: LinkExit
  /** Instead of all others, by a page that only says why there is none; `displayMessage` is for the person. */
  readonly why: { readonly code: string; readonly displayMessage: string }
  /** Pixels that the page would like to be high. */
  readonly resize: { readonly height: number }
}

/** What the page around tells: type → payload. */
export interface HostMessages {
  readonly init: LinkInit
  readonly close: Readonly<Record<string, never>>
  /** The focus comes in from this end. */
  readonly focus: { readonly at: 'end' | 'start' }
}

/** One message, in either direction, always to an exact origin. */
export type Message<Messages> = {
  readonly [Type in keyof Messages]: {
    readonly source: 'linchpin'
    readonly v: 1
    /** Made by the page around for one opening; messages of another one are passed over. */
    readonly session: string
    readonly type: Type
    readonly payload: Messages[Type]
  }
}[keyof Messages]

/** Whether a message is of this protocol and this session. What it says is still to be judged. */
export function isMessage(
  data: unknown,
  session: string,
): data is { readonly type: string; readonly payload: Readonly<Record<string, unknown>> } {
  if (typeof data !== 'object' || data === null) return false
  const { source, v, session: theirs, type, payload } = data as Record<string, unknown>
  return (
    source === 'linchpin' &&
    v === 1 &&
    theirs === session &&
    typeof type === 'string' &&
    typeof payload === 'object' &&
    payload !== null
  )
}
