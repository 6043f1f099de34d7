import assert from 'node:assert/strict'
import type { ServiceProcess } from '../service-process.ts'
import type { Request } from './requests.ts'

/** What a request is answered with. */
export interface Answer {
  readonly status: number
  /** What decides: rights, settings of links, specs. */
  readonly decisive: string
  /** The whole body. */
  readonly text: string
}

/** An answer, and the key of its request. */
export interface Served {
  readonly key: string
  readonly answer: Answer
}

/** Sends all requests. */
export async function read(
  service: ServiceProcess,
  requests: readonly Request[],
): Promise<Served[]> {
  const served: Served[] = []
  for (const { key, method, path, token, select } of requests) {
    const response = await service.call(method, path, method === 'GET' ? undefined : {}, token)
    const isOk = response.status < 300
    const text = isOk ? JSON.stringify(response.body) : String(response.body.error)
    const decisive = isOk ? JSON.stringify(select(response.body)) : ''
    served.push({ key, answer: { status: response.status, decisive, text } })
  }
  return served
}

/**
 * Whether more is allowed than before, or decided by something else. A refusal is never wrong, nor is an empty list: an index that
 * has lost a row hides it until the check beside serving has found that.
 */
export function isWrong(answer: Answer, expected: Answer | undefined): boolean {
  assert.ok(expected)
  if (answer.status === expected.status)
    return answer.decisive !== expected.decisive && answer.decisive !== '[]'
  return ![401, 403, 404, 503].includes(answer.status)
}

/** Whether the answers are as before, refused, or differ in what decides nothing. */
export function describeOutcome(served: readonly Served[], answers: ReadonlyMap<string, Answer>) {
  if (served.length === 0) return 'not started'
  const changed = served.filter(({ key, answer }) => answer.text !== answers.get(key)?.text)
  if (changed.length === 0) return 'same'
  return changed.every(({ answer }) => answer.status >= 400)
    ? 'refused'
    : 'served what decides nothing'
}
