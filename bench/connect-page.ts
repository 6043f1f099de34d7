import { Agent, request } from 'node:http'
import { startChild } from './child.ts'
import { readCpuSeconds } from './process-tree.ts'
import { median } from './statistics.ts'
import { startSubject } from './subject.ts'

// `node bench/connect-page.ts`: the cost of the connect page, sequentially, after warm-up. Each request is a new session.
// On a busy machine, wall-clock time is unreliable; the CPU time of the service is not.
const TOOLS = 70
const TIMES = 500

const desk = await startChild('./desk-server.ts')
try {
  const subject = await startSubject(desk)
  try {
    const { service, linkId, definitionId } = subject
    const { body: first } = await service.call('GET', `/v1/integration_definition/${definitionId}`)
    for (let count = 1; count < TOOLS; count += 1) {
      const body = {
        name: `Desk ${count}`,
        sourceUrl: first.sourceUrl,
        integrationType: 'SUPPORT',
      }
      const response = await service.call('POST', '/v1/integration_definition', body)
      if (response.status !== 201) throw new Error(JSON.stringify(response.body))
    }
    const page = `${service.url}/link/${linkId}`
    const { pid } = service
    await report(`the list, ${TOOLS} tools`, page, pid)
    await report('a form', `${page}?integration=${first.key}&auth=Api+Key`, pid)
    await report('an unknown link', `${service.url}/link/nothing`, pid)
  } finally {
    await subject.stop()
  }
} finally {
  await desk.stop()
}

async function report(name: string, url: string, pid: number): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const durations: number[] = []
  let before = 0
  for (let count = 0; count < TIMES; count += 1) {
    if (count === TIMES / 5) before = readCpuSeconds(pid).own
    const startedAt = performance.now()
    await get(url, agent, count)
    durations.push(performance.now() - startedAt)
  }
  agent.destroy()
  const cpuMs = ((readCpuSeconds(pid).own - before) * 1_000) / (TIMES - TIMES / 5)
  const warm = durations.slice(TIMES / 5).sort((a, b) => a - b)
  const p99 = warm[Math.floor(warm.length * 0.99)] ?? 0
  console.log(
    `${name}: median ${median(warm).toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, CPU ${cpuMs.toFixed(2)} ms`,
  )
}

/** Every visitor gets a separate address, so that no rate limit applies. Pages redirect to the host of the base URL. */
function get(url: string, agent: Agent, count: number): Promise<void> {
  const localAddress = `127.0.1.${1 + (count % 200)}`
  const headers = { 'accept-encoding': 'br, gzip', host: `localhost:${new URL(url).port}` }
  return new Promise((resolve, reject) => {
    request(url, { agent, headers, localAddress }, (response) => {
      const isExpected = response.statusCode === 200 || response.statusCode === 404
      if (!isExpected) reject(new Error(`${url}: ${response.statusCode}`))
      response.resume().once('end', resolve)
    })
      .once('error', reject)
      .end()
  })
}
