import { setTimeout as sleep } from 'node:timers/promises'

/** How long a request took, and when it was sent, in milliseconds of `performance.now()`. */
export interface RequestTime {
  readonly at: number
  readonly ms: number
}

/** Clients that send one request after the other: three reads, then a write. */
export function startRequestLoad(url: string, token: string, clients: number) {
  const failures: string[] = []
  const times: RequestTime[] = []
  let isStopping = false
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const runClient = async () => {
    for (let turn = 0; !isStopping; turn += 1) {
      const isWrite = turn % 4 === 3
      const body = JSON.stringify({ linkName: `link ${turn}` })
      const at = performance.now()
      const path = isWrite ? '/api/v1/link' : '/api/v1/user'
      const init = isWrite ? { method: 'POST', headers, body } : { headers }
      const outcome = await fetch(url + path, init).then(
        async (response) => `${response.status} ${response.ok ? '' : await response.text()}`,
        (error) => String(error.cause ?? error),
      )
      times.push({ at, ms: performance.now() - at })
      if (!/^20[01] $/.test(outcome)) failures.push(`${path}: ${outcome.slice(0, 200)}`)
      await sleep(5)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, runClient))
  return {
    async stop() {
      isStopping = true
      await running
      return { sent: times.length, failures, times }
    },
  }
}
