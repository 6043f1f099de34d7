import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { zstdDecompressSync } from 'node:zlib'
import { BUSY_MACHINE_OPTIONS } from '../../test/busy-machine-options.ts'
import { createBundle } from '../../test/hostile/harness.ts'
import { createEgressGateway, createRunner, type Runner } from '../index.ts'

const SECRET = 'sk_live_of_the_first_call'
const QUIET = `const list = Array.from({ length: 2000 }, (_, n) => 'text ' + n)
let calls = 0
module.exports = async (command, params) => { globalThis.kept = params.token; return [++calls, list.length] }`
const RANDOM = `const drawn = [Math.random(), require('crypto').randomUUID(), Date.now()]
module.exports = async () => drawn`

describe('images of bundles', () => {
  const runners: Runner[] = []
  const start = (images: TestStore) => {
    const egressGateway = createEgressGateway({ allow: [] })
    const runner = createRunner({ egressGateway, children: 1, images, ...BUSY_MACHINE_OPTIONS })
    runners.push(runner)
    return runner
  }
  after(() => Promise.all(runners.map((runner) => runner.close())))

  it('let the next process run a bundle without its code, from the same clean state', async () => {
    const images = new TestStore()
    const first = start(images)
    const bundle = createBundle(QUIET)
    assert.deepEqual(await run(first, bundle), [1, 2000])
    await images.waitFor(bundle.sha256)
    await first.close()
    const second = start(images)
    const withoutCode = { ...bundle, load: () => Promise.reject(new Error('not loaded')) }
    for (let count = 0; count < 3; count++)
      assert.deepEqual(await run(second, withoutCode), [1, 2000])
  })

  it('contain nothing of the calls that were made before', async () => {
    const images = new TestStore()
    const runner = start(images)
    const bundle = createBundle(`${QUIET} // another`)
    await run(runner, bundle, { token: SECRET })
    const image = await images.waitFor(bundle.sha256)
    const memory = zstdDecompressSync(image)
    assert.ok(memory.includes('text 1999'), 'what the bundle has loaded')
    assert.ok(!memory.includes(SECRET))
  })

  it('do not share the random bytes and the clock that a bundle reads while it loads', async () => {
    const images = new TestStore()
    const first = start(images)
    const bundle = createBundle(RANDOM)
    const drawn = [await run(first, bundle)]
    const image = await images.waitFor(bundle.sha256)
    await first.close()
    const second = start(images)
    for (let count = 0; count < 3; count++) drawn.push(await run(second, bundle))
    for (const at of [0, 1]) {
      const values = drawn.map((each) => (each as string[])[at])
      assert.equal(new Set(values).size, values.length)
    }
    assert.ok(zstdDecompressSync(image).includes('drawn'), 'it is compiled')
  })

  it('are ignored when they do not fit: then the code is loaded', async () => {
    const bundle = createBundle(`${QUIET} // a third`)
    const images = new TestStore()
    images.stored.set(bundle.sha256, Buffer.from('no image'))
    assert.deepEqual(await run(start(images), bundle), [1, 2000])
  })

  it('are built once, and not for a bundle that does not load', async () => {
    const images = new TestStore()
    const runner = start(images)
    const broken = createBundle('throw new Error("broken")')
    await assert.rejects(run(runner, broken))
    const bundle = createBundle(`${QUIET} // a fourth`)
    await run(runner, bundle)
    await images.waitFor(bundle.sha256)
    assert.deepEqual([...images.stored.keys()], [bundle.sha256])
    assert.equal(images.writes, 1)
  })
})

class TestStore {
  readonly stored = new Map<string, Uint8Array>()
  writes = 0

  async read(sha256: string): Promise<Uint8Array | undefined> {
    return this.stored.get(sha256)
  }

  async write(sha256: string, image: Uint8Array): Promise<void> {
    this.writes++
    this.stored.set(sha256, image)
  }

  async waitFor(sha256: string): Promise<Uint8Array> {
    for (const end = performance.now() + 60_000; performance.now() < end; await sleep(50)) {
      const image = this.stored.get(sha256)
      if (image !== undefined) return image
    }
    return assert.fail('no image was built')
  }
}

async function run(
  runner: Runner,
  bundle: ReturnType<typeof createBundle>,
  params: Readonly<Record<string, unknown>> = {},
): Promise<unknown> {
  const call = { bundle, tenant: { workspaceId: 'one' }, command: 'RUN', params } as const
  return (await runner.run(call)).value
}
