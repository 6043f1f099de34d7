import { expectThat } from './expect-that.ts'
import { shorten } from './shorten.ts'

/** One request of the tour and what should come of it. */
export interface Step {
  readonly title: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path and query below `/api/v1`. */
  readonly path: string
  readonly body?: object
  /** The status that the answer must have. */
  readonly expect: number
  /** The fields of the answer that are printed. Default: all. */
  readonly show?: readonly string[]
}

/** A JSON object of an answer. Lists come as `items`. */
export type ResponseBody = Readonly<Record<string, unknown>>

/** Takes a step, prints it, and resolves to the answer. @throws Surprise when the status is another one */
export type CallApi = (step: Step) => Promise<ResponseBody>

/** What a caller needs. */
export interface CallerOptions {
  /** The server, such as `http://127.0.0.1:3000`. */
  readonly url: string
  /** Sent as bearer token, never printed. */
  readonly token: string
  readonly print: (line: string) => void
  readonly signal: AbortSignal
}

/** Makes the function that takes the steps. */
export function createApiCaller({ url, token, print, signal }: CallerOptions): CallApi {
  let count = 0
  return async (step) => {
    count += 1
    const payload = step.body ? JSON.stringify(step.body) : undefined
    print(`\n${count}. ${step.title}`)
    print(`   ${curlLine(step, payload)}`)
    const response = await fetch(`${url}/api/v1${step.path}`, {
      method: step.method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(payload ? { 'Content-Type': 'application/json' } : {}),
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
      ...(payload ? { body: payload } : {}),
    })
    const value = parse(await response.text())
    print(`   ${response.status} ${shorten(value, step.show)}`)
    expectThat(
      response.status === step.expect,
      `"${step.title}" should answer ${step.expect}, but answered ${response.status}: ${shorten(value)}`,
    )
    expectThat(typeof value === 'object' && value !== null, `"${step.title}" answered no JSON.`)
    return Array.isArray(value) ? { items: value } : (value as ResponseBody)
  }
}

function curlLine({ method, path }: Step, payload: string | undefined): string {
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
