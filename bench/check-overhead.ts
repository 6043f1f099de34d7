import { Agent, request } from 'node:http'
import { median } from './statistics.ts'
import type { BenchmarkedService } from './subject.ts'

/** The overhead of a check over the response time of the provider; medians in milliseconds. */
export interface Overhead {
  readonly name: string
  readonly checkMs: number
  readonly providerMs: number
  readonly addedMs: number
}

/**
 * Measures sequential checks after warm-up, in the sandbox and in the host, and the single request of such a check without
 * the service.
 */
export async function checkOverhead(
  { service, token, deskUrl, credentials, declared }: BenchmarkedService,
  times: number,
): Promise<Overhead[]> {
  const agent = new Agent({ keepAlive: true })
  const check = (body: object) => () =>
    send(agent, 'POST', `${service.url}/api/v1/integration_account/check`, body, {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    })
  const runProvider = (path: string) => () =>
    send(agent, 'GET', deskUrl + path, undefined, { 'x-api-key': 'desk_live_1' })
  const compare = async (name: string, body: object, path: string) => {
    await timeEach(Math.ceil(times / 3), check(body))
    await timeEach(Math.ceil(times / 3), runProvider(path))
    const providerMs = median(await timeEach(times, runProvider(path)))
    const checkMs = median(await timeEach(times, check(body)))
    return { name, checkMs, providerMs, addedMs: checkMs - providerMs }
  }
  try {
    return [
      await compare('in the sandbox', credentials, '/api/me'),
      await compare('data in the host', declared.entry, '/wp-json/wc/v3/products'),
    ]
  } finally {
    agent.destroy()
  }
}

async function timeEach(times: number, call: () => Promise<unknown>): Promise<number[]> {
  const durations: number[] = []
  for (let count = 0; count < times; count += 1) {
    const startedAt = performance.now()
    await call()
    durations.push(performance.now() - startedAt)
  }
  return durations
}

function send(
  agent: Agent,
  method: string,
  url: string,
  body: object | undefined,
  headers: Record<string, string>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, { agent, method, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`))
      response.resume().once('end', resolve)
    })
    clientRequest.once('error', reject)
    clientRequest.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
