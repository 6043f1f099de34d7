import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createBundle, wrapInMain } from '../../test/hostile/harness.ts'
import { createEgressGateway } from '../index.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import type { ChildMessage } from '../sandbox/messages.ts'
import { BundleImages } from './bundle-images.ts'
import { Call } from './call.ts'
import { Child } from './child.ts'
import { ChildChannel } from './child-channel.ts'
import { Pool } from './pool.ts'
import { BandwidthLimiter, HostSlots, MONOTONIC_CLOCK } from './request-limits.ts'
import { spawnChild } from './spawn-child.ts'

/** Code that an escaped guest can run: descriptor 3, and frames that it builds itself. */
const PRELUDE = `
const socket = new (require('node:net').Socket)({ fd: 3, readable: true, writable: true })
const write = (bytes) => socket.write(bytes)
const frame = (message, body) => {
  const json = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message))
  const head = Buffer.alloc(8)
  head.writeUInt32LE(json.length, 0)
  head.writeUInt32LE(body === undefined ? 0xffffffff : body.length, 4)
  return Buffer.concat([head, json, ...(body === undefined ? [] : [body])])
}
const send = (message, body) => write(frame(message, body))
socket.on('close', () => process.exit())
`

describe('a compromised runner child', () => {
  let folder = ''
  const children: ChildProcess[] = []
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'linchpin-child-')))
  })
  after(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  const createBundleFiles = (name: string, code: string, extraLines: string[] = []) => {
    const main = join(folder, `${name}.cjs`)
    writeFileSync(main, `${PRELUDE}\n${code}`)
    return { main, guest: main, readable: [folder, ...extraLines] }
  }
  const spawn = async (name: string, code: string, extraLines?: string[]) => {
    const { process } = await spawnChild(createBundleFiles(name, code, extraLines))
    children.push(process)
    const messages: ChildMessage[] = []
    const protocolError = Promise.withResolvers<string>()
    protocolError.promise.catch(() => {})
    setTimeout(() => protocolError.reject(new Error('the child was not killed')), 20_000).unref()
    const exited = new Promise((resolve) => process.once('exit', resolve))
    const channel = new ChildChannel(process, {
      message: (message) => messages.push(message),
      protocolError: (reason) => protocolError.resolve(reason),
    })
    return { channel, messages, process, protocolError: protocolError.promise, gone: exited }
  }

  it('is killed after a frame that violates the protocol', async () => {
    const attacks: [code: string, why: RegExp][] = [
      [`write(require('node:v8').serialize({ type: 'ready' }))`, /length|JSON/],
      [`write(Buffer.from('ffffffffffffffff', 'hex'))`, /header of a frame has an invalid length/],
      [`send('{"type":"idle"}', Buffer.alloc(9 << 20))`, /body of a frame has an invalid length/],
      [`send('{"type":"idle"')`, /not JSON/],
      [`send('[]')`, /not an object/],
      [`send({ type: 'nothing' })`, /not a valid message/],
      [
        `send({ type: 'end', call: 1, outcome: { ok: true, json: '1' }, logs: 0, rss: 1 })`,
        /not a valid message/,
      ],
    ]
    await Promise.all(
      attacks.map(async ([code, reason], at) => {
        const { protocolError, messages, gone: exited } = await spawn(`attack-${at}`, code)
        assert.match(await protocolError, reason, code)
        await exited
        assert.deepEqual(messages, [], code)
      }),
    )
  })

  it('is killed once it leaves 256 MiB unread, and can be slow until then', async () => {
    const { channel, protocolError } = await spawn(
      'deaf',
      'socket.pause(); setInterval(() => {}, 1e6)',
    )
    const body = new Uint8Array(32 * 1024 * 1024)
    let isBroken = false
    void protocolError.then(() => {
      isBroken = true
    })
    for (let sent = 0; sent < 7; sent++)
      channel.send({ type: 'response', call: 1, request: sent, head: '{}', body })
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(isBroken, false)
    channel.send({ type: 'response', call: 1, request: 8, head: '{}', body })
    channel.send({ type: 'response', call: 1, request: 9, head: '{}', body })
    assert.match(await protocolError, /does not read/)
  })

  it('cannot block the event loop with a flood of messages', async () => {
    const { messages, protocolError } = await spawn(
      'flood',
      `const many = Buffer.concat(Array(2_000).fill(frame({ type: 'idle' })))
       const flood = () => { while (socket.write(many)); }
       socket.on('drain', flood)
       flood()`,
    )
    while (messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    const from = messages.length
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    // 64 KiB hold 2,850 of these frames.
    assert.ok(messages.length - from <= 3 * 2_900, `${messages.length - from} in two turns`)
    assert.match(await protocolError, /too many messages/)
  })

  it('runs under resource limits that an escaped guest cannot lift', async (t) => {
    if (process.platform !== 'linux') return t.skip('reads /proc')
    const { messages, gone: exited } = await spawn(
      'limits',
      `const text = require('node:fs').readFileSync('/proc/self/limits', 'utf8')
       const of = (name) => text.match(new RegExp('^Max ' + name + ' +(\\\\S+) +(\\\\S+)', 'm')).slice(1).join('/')
       send({ type: 'crash', message: ['core file size', 'file size', 'open files', 'data size'].map(of).join(' ') })
       socket.end()`,
      ['/proc'],
    )
    await exited
    const gib = String(4 * 1024 ** 3)
    assert.deepEqual(messages, [{ type: 'crash', message: `0/0 0/0 128/128 ${gib}/${gib}` }])
  })

  it('cannot blame a workspace for more computing than time has passed', async () => {
    const files = createBundleFiles(
      'liar',
      `send({ type: 'ready' })
       socket.on('data', () => {
         const steps = [{ call: 1, cpuMs: 60_000, wallMs: 60_000, bytes: 1 }]
         for (let count = 0; count < 20; count++) send({ type: 'idle', steps })
         send({ type: 'end', call: 1, outcome: { ok: true }, logs: 0, rss: 1 }, Buffer.from('1'))
       })`,
    )
    const { process } = await spawnChild(files)
    children.push(process)
    let reportedMs = 0
    const ready = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const startedAt = performance.now()
    const deps = {
      egressGateway: createEgressGateway({ allow: [] }),
      hostSlots: new HostSlots(2, () => {}),
      bandwidthLimiter: new BandwidthLimiter(MONOTONIC_CLOCK),
      images: new BundleImages(files, undefined),
    }
    const child = new Child(
      process,
      deps,
      {
        onReady: ready.resolve,
        onComputed: (_call, { cpuMs }) => {
          reportedMs += cpuMs
        },
        onCallEnded: () => ended.resolve(),
        onIdle: () => {},
        onPreempted: () => {},
        onExit: () => {},
        onWarning: () => {},
      },
      { startTimeoutMs: 20_000, isIsolated: false },
    )
    await ready.promise
    const bundle = createBundle(wrapInMain('return 1'))
    const tenant = { workspaceId: 'workspace' }
    child.start(new Call(1, { bundle, command: 'SPEC', params: {}, tenant }, DEFAULT_LIMITS))
    await ended.promise
    assert.ok(reportedMs <= performance.now() - startedAt, `${reportedMs} ms`)
  })

  it('cannot take slots from other calls by reporting more memory than a call may use', async () => {
    const files = createBundleFiles(
      'huge',
      `send({ type: 'ready' })
       let calls = 0
       socket.on('data', () => {
         const call = ++calls
         send('{"type":"idle","steps":[{"call":' + call + ',"cpuMs":1,"wallMs":1,"bytes":1e999}]}')
         send({ type: 'end', call, outcome: { ok: true }, logs: 0, rss: 1 }, Buffer.from(String(call)))
       })`,
    )
    const pool = new Pool(1, { egressGateway: createEgressGateway({ allow: [] }) }, files)
    try {
      for (const id of [1, 2, 3]) {
        const bundle = createBundle(wrapInMain('return 1'))
        const tenant = { workspaceId: `workspace-${id}` }
        const call = new Call(id, { bundle, command: 'SPEC', params: {}, tenant }, DEFAULT_LIMITS)
        pool.run(call)
        assert.equal((await call.result).value, id)
      }
    } finally {
      await pool.close()
    }
  })

  it('is killed when it sends an image of a bundle: that could change the calls of other tenants', async () => {
    const files = createBundleFiles(
      'forger',
      `send({ type: 'ready' })
       let sent = 0
       socket.on('data', () => {
         if (sent++ === 0) send({ type: 'code-request', call: 1, sha256: 'a', acceptsImage: true })
         else send({ type: 'image' }, Buffer.from('an image'))
         send({ type: 'idle', steps: [] })
       })`,
    )
    const written: string[] = []
    const reasons: unknown[] = []
    const killed = Promise.withResolvers<void>()
    const pool = new Pool(
      1,
      {
        egressGateway: createEgressGateway({ allow: [] }),
        images: { read: async () => undefined, write: async (sha256) => void written.push(sha256) },
        log: (_level, _message, detail) => {
          reasons.push(detail?.why)
          if (detail?.why !== undefined) killed.resolve()
        },
      },
      files,
    )
    try {
      const bundle = createBundle(wrapInMain('return 1'))
      const tenant = { workspaceId: 'workspace' }
      const call = new Call(1, { bundle, command: 'SPEC', params: {}, tenant }, DEFAULT_LIMITS)
      call.result.catch(() => {})
      pool.run(call)
      await killed.promise
      assert.ok(reasons.includes('it sent an image'))
      assert.deepEqual(written, [])
    } finally {
      await pool.close()
    }
  })

  it('is replaced, and its calls fail, when it exceeds the limits of a call', async () => {
    const failures: unknown[] = []
    const files = createBundleFiles(
      'greedy',
      `send({ type: 'ready' })
       socket.once('data', () => {
         const text = JSON.stringify({ method: 'GET', url: 'http://127.0.0.1:9/', headers: {} })
         send({ type: 'busy', call: 1 })
         for (let request = 1; request <= 51; request++) send({ type: 'request', call: 1, request, text })
       })`,
    )
    const options = {
      egressGateway: createEgressGateway({ allow: [] }),
      log: (_level: string, message: string, detail?: Record<string, unknown>) => {
        if (message.includes('protocol')) failures.push(detail?.why)
      },
    }
    const pool = new Pool(1, options, files)
    try {
      const bundle = createBundle(wrapInMain('return 1'))
      const call = new Call(
        1,
        { bundle, command: 'CHECK', params: {}, tenant: { workspaceId: 'ws' } },
        DEFAULT_LIMITS,
      )
      pool.run(call)
      await assert.rejects(call.result, { code: 'integration_failed' })
      assert.deepEqual(failures, ['a call has too many requests'])
    } finally {
      await pool.close()
    }
  })
})
