import { setTimeout } from 'node:timers/promises'
import { expectThat } from './expect-that.ts'
import { shorten } from './shorten.ts'

/** One request of the tour and its expected outcome. */
export interface Step {
  readonly title: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path and query below `/api/v1`, or below the server's root for a page. */
  readonly path: string
  /** The response is an HTML page; the caller returns `{ title }`. Default: false. */
  readonly isPage?: boolean
  readonly body?: object
  /** The expected status. */
  readonly expect: number
  /** The fields of the response to print. Default: all. */
  readonly show?: readonly string[]
}

/** The JSON object of a response. A list becomes `{ items }`. */
export type ResponseBody = Readonly<Record<string, unknown>>

/** Sends the request of a step, prints both, and resolves to the body. @throws UnexpectedResult for another status */
export type CallApi = (step: Step) => Promise<ResponseBody>

/** The dependencies of a caller. */
export interface CallerOptions {
  /** The server, such as `http://127.0.0.1:3000`. */
  readonly url: string
  /** Sent as the bearer token and never printed. */
  readonly token: string
  readonly print: (line: string) => void
  readonly signal: AbortSignal
}

/** Creates the function that runs the steps. */
export function createApiCaller({ url, token, print, signal }: CallerOptions): CallApi {
  let count = 0
  return async (step) => {
    count += 1
    const payload = step.body ? JSON.stringify(step.body) : undefined
    print(`\n${count}. ${step.title}`)
    print(`   ${formatCurl(step, payload)}`)
    const send = () =>
      fetch(`${url}${step.isPage ? '' : '/api/v1'}${step.path}`, {
        method: step.method,
        headers: {
          ...(step.isPage ? {} : { Authorization: `Bearer ${token}` }),
          ...(payload ? { 'Content-Type': 'application/json' } : {}),
        },
        signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
        ...(payload ? { body: payload } : {}),
      })
    const response = await sendWhileOverloaded(send, signal)
    const text = await response.text()
    const value = step.isPage ? { title: /<title>([^<]*)/.exec(text)?.[1] } : parse(text)
    print(`   ${response.status} ${shorten(value, step.show)}`)
    expectThat(
      response.status === step.expect,
      `"${step.title}" should respond with ${step.expect}, not ${response.status}: ${shorten(value)}`,
    )
    expectThat(
      typeof value === 'object' && value !== null,
      `"${step.title}" did not respond with JSON.`,
    )
    return Array.isArray(value) ? { items: value } : (value as ResponseBody)
  }
}

/** Sends a request again after 503 `overloaded`: a runner child starts slowly on a busy machine. */
async function sendWhileOverloaded(
  send: () => Promise<Response>,
  signal: AbortSignal,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send()
    const retryAfterSeconds = Number(response.headers.get('retry-after') ?? 0)
    if (response.status !== 503 || retryAfterSeconds === 0 || attempt === 20) return response
    await response.body?.cancel()
    await setTimeout(retryAfterSeconds * 1000, undefined, { signal })
  }
}

function formatCurl({ method, path, isPage }: Step, payload: string | undefined): string {
  if (isPage) return `open "$LINCHPIN${path}"`
  const verb = method === 'DELETE' ? ' -X DELETE' : ''
  const data = payload ? ` -d '${payload}'` : ''
  return `curl${verb} "$API${path}"${data}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
