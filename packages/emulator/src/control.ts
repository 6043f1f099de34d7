import type { ApiServerDeps } from './api-server.ts'
import type { Answer, ProviderRequest } from './exchange.ts'
import type { Grants } from './grants.ts'
import type { Reply } from './provider.ts'
import type { AuthorizationServerDeps, Consent } from './sign-in.ts'
import { withoutQuery } from './url-pattern.ts'

/** A request that a provider got. It has no header, no body and no credentials. */
export interface RecordedRequest {
  readonly key: string
  readonly authType: string
  readonly kind: Answer['kind']
  readonly method: string
  /** Without its query. */
  readonly url: string
  readonly status: number
  /** What the provider's documents have and the request had not, although it was answered. */
  readonly deviations: readonly string[]
}

/** What happens to the next requests of a provider's API. */
export interface Plan {
  /** Default: every provider. */
  readonly key?: string
  /** 401, 403 and 429 in the form that the provider documents; others without a body of its own. */
  readonly status?: number
  /** How long each waits. */
  readonly delayMs?: number
  /** How many requests. Default: 1. */
  readonly times?: number
}

/** Changes how providers behave. */
export interface Control {
  readonly requests: readonly RecordedRequest[]
  readonly forApi: Omit<ApiServerDeps, 'grants' | 'now'>
  readonly forSignIn: Pick<AuthorizationServerDeps, 'consent' | 'callbackUrl'>
  next(plan: Plan): void
  /** Forgets what was planned. */
  cancel(): void
  setConsent(consent: Consent): void
  /** Where the redirects of providers go that assign names to redirect URIs. Default: a node on its default port. */
  setCallbackUrl(url: string): void
  /** Expires access tokens, of one provider or of all. Refresh tokens stay valid. */
  expire(key?: string): number
  /** Ends what users allowed: access and refresh tokens. */
  endGrants(key?: string): number
  /** From now on a key or password is refused. */
  revoke(value: string): void
  /** Accepts all keys and passwords again. */
  restore(): void
  reset(): void
  record(request: ProviderRequest, answer: Answer): void
  /** How long the response of a provider waits, in milliseconds. */
  takeDelay(key: string): number
  /** `/_emulator/{name}`. */
  respond(request: ControlRequest, name: string): Reply
}

interface ControlRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

interface ControlOptions {
  readonly grants: Grants
  readonly consent: Consent
  readonly keys: readonly string[]
}

interface AddedResponse {
  readonly method: string
  readonly url: string
  readonly reply: Reply
}

export function createControl(options: ControlOptions): Control {
  const { grants } = options
  const state = createState(options)
  const control: Control = {
    get requests() {
      return state.requests
    },
    forApi: {
      revoked: state.revoked,
      takeStatus: (key) => take(state, key, ({ status }) => status !== undefined)?.status,
      findAdded: (request) => findAdded(state, request),
    },
    forSignIn: { consent: () => state.consent, callbackUrl: () => state.callbackUrl },
    next: (plan) => addPlan(state, plan),
    cancel() {
      state.plans = []
    },
    setConsent(consent) {
      state.consent = consent
    },
    setCallbackUrl(url) {
      state.callbackUrl = url
    },
    expire: (key) => grants.expire(key),
    endGrants: (key) => grants.end(key),
    revoke: (value) => void state.revoked.add(value),
    restore: () => state.revoked.clear(),
    reset() {
      grants.end()
      // The API server has this set.
      state.revoked.clear()
      Object.assign(state, createState(options), { revoked: state.revoked })
    },
    record: (request, answer) => record(state, request, answer),
    takeDelay: (key) => take(state, key, ({ delayMs }) => delayMs !== undefined)?.delayMs ?? 0,
    respond: (request, name) => runCommand(control, state, options.keys, request, name),
  }
  return control
}

/** What the control has changed and seen. */
interface State {
  plans: readonly { readonly plan: Plan; left: number }[]
  consent: Consent
  callbackUrl: string
  requests: readonly RecordedRequest[]
  added: readonly AddedResponse[]
  /** Keys and passwords. */
  readonly revoked: Set<string>
}

function createState({ consent }: ControlOptions): State {
  return {
    plans: [],
    consent,
    callbackUrl: CALLBACK_URL,
    requests: [],
    added: [],
    revoked: new Set(),
  }
}

const CALLBACK_URL = 'http://localhost:3000/api/v1/oauth/callback'

/** Each is taken where it takes effect. */
function addPlan(state: State, { status, delayMs, times = 1, ...target }: Plan): void {
  const plans: Plan[] = [
    ...(status === undefined ? [] : [{ ...target, status }]),
    ...(delayMs === undefined ? [] : [{ ...target, delayMs }]),
  ]
  state.plans = [...state.plans, ...plans.map((plan) => ({ plan, left: times }))]
}

function take(state: State, key: string, has: (plan: Plan) => boolean): Plan | undefined {
  const found = state.plans.find(({ plan }) => has(plan) && (plan.key ?? key) === key)
  if (found === undefined) return undefined
  found.left -= 1
  if (found.left <= 0) state.plans = state.plans.filter((each) => each !== found)
  return found.plan
}

function findAdded({ added }: State, { method, url }: ProviderRequest): Reply | undefined {
  return added.find((each) => each.method === method && each.url === withoutQuery(url.href))?.reply
}

function record(
  state: State,
  { method, url }: ProviderRequest,
  { key, authType, kind, status, deviations }: Answer,
): void {
  const recorded = { key, authType, kind, method, url: withoutQuery(url.href), status, deviations }
  state.requests = [...state.requests.slice(1 - MAX_RECORDED), recorded]
}

function runCommand(
  control: Control,
  state: State,
  keys: readonly string[],
  request: ControlRequest,
  name: string,
): Reply {
  if (request.method === 'GET' && name === 'requests') return { status: 200, body: state.requests }
  // A page of someone else can send forms to this address, but no JSON.
  if (
    request.method !== 'POST' ||
    !/^application\/json/.test(request.headers['content-type'] ?? '')
  )
    return { status: 405, body: { error: 'Send JSON with POST, or GET /_emulator/requests.' } }
  const body = parse(request.body)
  const command = COMMANDS[name]
  if (command === undefined)
    return { status: 404, body: { error: `Commands: ${Object.keys(COMMANDS).join(', ')}.` } }
  const problem = body === undefined ? 'The body must be a JSON object.' : findProblem(body, keys)
  if (problem !== undefined) return { status: 400, body: { error: problem } }
  return command(control, body as Body, (one) => {
    state.added = [...state.added.slice(1 - MAX_RECORDED), one]
  })
}

const MAX_RECORDED = 1_000

type Body = Readonly<Record<string, unknown>>

function parse(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text)
    return typeof value === 'object' && value !== null ? (value as Body) : undefined
  } catch {
    return undefined
  }
}

function findProblem(body: Body, keys: readonly string[]): string | undefined {
  const { key, status, delayMs, times } = body
  if (key !== undefined && !keys.includes(key as string))
    return 'key must be one of the integrations that are emulated.'
  if (status !== undefined && !isBetween(status, 200, 599)) return 'status must be 200 to 599.'
  if (delayMs !== undefined && !isBetween(delayMs, 0, 120_000))
    return 'delayMs must be 0 to 120000.'
  if (times !== undefined && !isBetween(times, 1, 10_000)) return 'times must be 1 to 10000.'
  return undefined
}

function isBetween(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max
}

type Command = (control: Control, body: Body, add: (response: AddedResponse) => void) => Reply

const DONE: Reply = { status: 200, body: { ok: true } }

const COMMANDS: Readonly<Record<string, Command>> = {
  next(control, body) {
    if (body.status === undefined && body.delayMs === undefined)
      return { status: 400, body: { error: 'Set status, delayMs or both.' } }
    control.next(body as Plan)
    return DONE
  },
  consent(control, { consent }) {
    if (!CONSENTS.includes(consent as Consent))
      return { status: 400, body: { error: `consent must be ${CONSENTS.join(', ')}.` } }
    control.setConsent(consent as Consent)
    return DONE
  },
  callback(control, { url }) {
    if (!/^https?:$/.test(URL.parse(String(url))?.protocol ?? ''))
      return { status: 400, body: { error: 'url must be the redirect URI of the client.' } }
    control.setCallbackUrl(String(url))
    return DONE
  },
  expire: (control, { key }) => ({
    status: 200,
    body: { expired: control.expire(key as string | undefined) },
  }),
  revoke(control, { key, value }) {
    if (typeof value === 'string') control.revoke(value)
    const ended = typeof value === 'string' ? 0 : control.endGrants(key as string | undefined)
    return { status: 200, body: { ended } }
  },
  responses(_control, { method = 'GET', url, status = 200, body = {} }, add) {
    if (typeof url !== 'string' || !URL.canParse(url))
      return { status: 400, body: { error: 'url must be the URL at the provider.' } }
    add({
      method: String(method),
      url: withoutQuery(new URL(url).href),
      reply: { status: Number(status), body },
    })
    return DONE
  },
  restore(control) {
    control.restore()
    return DONE
  },
  reset(control) {
    control.reset()
    return DONE
  },
}

/** What a user may decide. */
export const CONSENTS: readonly Consent[] = ['ask', 'allow', 'deny', 'partial']
