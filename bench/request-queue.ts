import { FairQueue } from '../packages/runner/src/pool/fair-queue.ts'
import { RequestQueue } from '../packages/server/src/access/auth/request-queue.ts'
import { median } from './statistics.ts'

const TENANTS = [1, 2, 100, 10_000]
const OPERATIONS = 20_000
const ROUNDS = 5

// `node bench/request-queue.ts`: what the fair queue of tenants costs, in CPU time per operation.
printQueueCosts()

function printQueueCosts(): void {
  console.log(
    '| tenants | a request while none waits, µs | to enqueue, start and charge one while each tenant has one, µs |\n|---|---|---|',
  )
  for (const tenants of TENANTS) {
    const [free, queued] = [createFree(tenants), createQueued(tenants)].map((operation) =>
      median(Array.from({ length: ROUNDS }, () => measureMicros(operation))),
    )
    console.log(`| ${tenants.toLocaleString('en')} | ${free?.toFixed(2)} | ${queued?.toFixed(2)} |`)
  }
}

/** Each request of one tenant after the other ends before the next one begins. */
function createFree(tenants: number): (index: number) => void {
  const queue = new RequestQueue({
    now: () => performance.now(),
    busyMs: () => performance.eventLoopUtilization().active,
    defer: setImmediate,
    delay: setTimeout,
  })
  return (index) => {
    const release = queue.acquire(`tenant ${index % tenants}`)
    if (release instanceof Promise) throw new Error('A request waited.')
    release()
  }
}

/** The tenant whose request starts is charged, and queues another one. */
function createQueued(tenants: number): (index: number) => void {
  const queue = new FairQueue<string>()
  for (let tenant = 0; tenant < tenants; tenant += 1) queue.enqueue(`${tenant}`, `${tenant}`)
  return (index) => {
    const tenant = queue.takeNext() ?? ''
    queue.charge(tenant, index % 7)
    queue.enqueue(tenant, tenant)
  }
}

function measureMicros(operation: (index: number) => void): number {
  const from = process.threadCpuUsage()
  for (let index = 0; index < OPERATIONS; index += 1) operation(index)
  const { user, system } = process.threadCpuUsage(from)
  return (user + system) / OPERATIONS
}
