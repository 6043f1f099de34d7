import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectCreated } from '../../../server/test/test-context.ts'
import { createRandom } from '../create-random.ts'
import { type SdkTestContext, startSdkTestContext } from '../sdk-test-context.ts'
import { type Cut, startWeakNetwork, type WeakNetwork } from './weak-network.ts'

const EVENTS = Number(process.env.TAIL_EVENTS ?? 60)
const CUTS = Number(process.env.TAIL_CUTS ?? 12)
const SLEEP_MS = Number(process.env.TAIL_SLEEP_MS ?? 500)
const KINDS: readonly Cut[] = ['reset', 'truncate', 'reset', 'truncate', 'reset', 'silence']

describe(`${EVENTS} events, ${CUTS} cuts of the network, and a process that sleeps for ${SLEEP_MS} ms`, () => {
  let context: SdkTestContext
  before(async () => {
    context = await startSdkTestContext()
  })
  after(() => context.t.close())

  it('tail() yields each event once, in order; a reader that starts from now after each cut misses some', async () => {
    const tail = await startReader('tail')
    const control = await startReader('now')
    const names = Array.from({ length: EVENTS }, (_, index) => `Link ${index}`)
    await createLinksDuringCuts(names, [tail, control])
    const found = Promise.all([tail.names, control.names])
    // The control may miss this one, too.
    while ((await Promise.race([found, sleep(300)])) === undefined) await createLink('end')
    const [fromTail, fromNow] = await found
    await Promise.all([tail.network.close(), control.network.close()])
    assert.deepEqual(fromTail, names)
    const missed = EVENTS - new Set(fromNow).size
    assert.ok(missed > 0, 'the control misses none')
    console.log(
      `${CUTS} cuts: tail() missed and repeated 0 of ${EVENTS}, the control missed ${missed}`,
    )
  })

  async function createLinksDuringCuts(names: readonly string[], readers: readonly Reader[]) {
    const seed = Number(process.env.TAIL_SEED ?? Math.floor(Math.random() * 2 ** 31))
    console.log(`seed ${seed}`)
    const random = createRandom(seed)
    for (let cut = 0; cut < CUTS; cut++) {
      const sleeping = cut === Math.floor(CUTS / 3) ? putToSleep(readers) : undefined
      // So that events are on their way. A process that sleeps does not connect again.
      if (sleeping === undefined) await readers[0]?.network.waitForConnection()
      const [first, last] = [cut, cut + 1].map((part) => Math.round((part * EVENTS) / CUTS))
      for (const name of names.slice(first, last)) {
        await createLink(name)
        await sleep(random() * 20)
      }
      const kind = KINDS[Math.floor(random() * KINDS.length)] ?? 'reset'
      for (const { network } of readers) network.cut(kind, random() * 100)
      await sleeping
    }
  }

  /** A process that reads the events through a network of its own. */
  async function startReader(mode: 'tail' | 'now'): Promise<Reader> {
    const network = await startWeakNetwork(context.baseUrl)
    const program = path.join(import.meta.dirname, 'follow.ts')
    const args = ['--no-warnings', program, network.url, context.t.token, mode]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const names = text(child.stdout).then((printed) =>
      printed.split('\n').filter((line) => line.startsWith('Link ')),
    )
    return { network, child, names }
  }

  const createLink = async (linkName: string) =>
    expectCreated(await context.t.call('POST', '/v1/link', { body: { linkName } }))
})

interface Reader {
  readonly network: WeakNetwork
  readonly child: ChildProcess
  /** What it has read, when it ends. */
  readonly names: Promise<string[]>
}

async function putToSleep(readers: readonly Reader[]): Promise<void> {
  for (const { child } of readers) child.kill('SIGSTOP')
  await sleep(SLEEP_MS)
  for (const { child } of readers) child.kill('SIGCONT')
}
