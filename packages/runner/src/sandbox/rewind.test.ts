import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import type { GuestText } from './host-bindings.ts'
import { Meter } from './meter.ts'
import { type BindingAddresses, Vm } from './vm.ts'
import { type MemorySnapshot, takeSnapshot, VmMemory } from './vm-memory.ts'

const GUEST = readFileSync(new URL('../../generated/guest.js', import.meta.url), 'utf8')
const MEMORY_BYTES = 64 * 1024 * 1024
const SECRET = 'sk_live_7f3b9c5d1e'

/** Bodies of main functions that write to memory in many ways. */
const BODIES = {
  'keeps its parameters': 'globalThis.kept = params; return params.config.token',
  'makes strings of every length':
    'const all = []; for (let n = 0; n < 400; n++) all.push(params.config.token.repeat(n)); return all.join("").length',
  'writes unaligned values to buffers':
    'const view = new DataView(new ArrayBuffer(70000)); for (let at = 0; at < 69992; at += 7) { view.setFloat64(at, at); view.setBigInt64(at + 1, 5n); view.setInt16(at + 3, 9); view.setFloat32(at, 1) } return view.getInt8(9)',
  'fills, copies and slices large arrays':
    'const bytes = new Uint8Array(3e6).fill(7); bytes.copyWithin(5, 1000, 2e6); globalThis.kept = [bytes.slice(1, 2e6), new Float64Array(1e5).fill(1.5)]; return bytes.length',
  'grows the memory':
    'globalThis.kept = []; for (let n = 0; n < 40; n++) kept.push(new Uint8Array(4e5).fill(n)); return kept.length',
  'sorts, matches and parses':
    'const list = Array.from({ length: 5000 }, (_, n) => ({ n, text: params.config.token + n })); list.sort((a, b) => b.n - a.n); return JSON.parse(JSON.stringify(list)).filter((each) => /(\\d)\\1$/.test(each.text)).length',
  'reads clocks and formats dates':
    'return [new Date().toString(), performance.now(), process.hrtime.bigint(), new Date(0).toLocaleString(), Math.random()].join()',
  'throws from deep recursion': 'const deep = (n) => 1 + deep(n + 1); return deep(0)',
  'runs out of memory': 'const all = []; for (;;) all.push(new Array(1e5).fill(params))',
  'sends a request with the secret':
    'await fetch("http://provider.test/" + params.config.token, { method: "POST", body: params.config.token.repeat(20000) })',
}

describe('the memory of a VM after a call', () => {
  let vm: Vm
  let bindings: BindingAddresses
  let base: MemorySnapshot
  let baseBytes: Uint8Array
  before(async () => {
    vm = await Vm.create(new VmMemory(256, MEMORY_BYTES / 65_536))
    bindings = vm.boot(GUEST)
    const bytes = vm.memory.copy()
    base = takeSnapshot(bytes, bytes)
    baseBytes = bytes
  })

  for (const [name, body] of Object.entries(BODIES)) {
    it(`has no trace of a bundle that ${name}`, () => {
      const image = load(`module.exports = async (command, params) => { ${body} }`)
      vm.restore(image, bindings, MEMORY_BYTES)
      const clean = Buffer.from(vm.memory.bytes)
      call()
      const dirty = Buffer.from(vm.memory.bytes)
      vm.memory.rewind()
      vm.restore(image, bindings, MEMORY_BYTES)
      assert.notEqual(dirty.compare(clean), 0, 'the call has written something')
      assert.equal(Buffer.from(vm.memory.bytes).indexOf(SECRET), -1, 'the secret')
      assert.ok(vm.memory.bytes.subarray(clean.length).every((byte) => byte === 0))
      assert.equal(firstDifference(vm.memory.bytes.subarray(0, clean.length), clean), -1)
    })
  }

  /** An image with the bundle loaded. */
  function load(code: string): MemorySnapshot {
    const meter = new Meter(20_000, 60_000)
    vm.onHostCall = () => '00'.repeat(32)
    vm.restore(base, bindings, MEMORY_BYTES)
    assert.equal(vm.compile(meter, code), undefined)
    assert.equal(vm.load(meter), undefined)
    return vm.memory.takeImage(baseBytes)
  }

  /** A call with a response and a timer, until nothing more happens. */
  function call(): void {
    const meter = new Meter(20_000, 60_000)
    const posts: { kind: string; id: number }[] = []
    vm.onHostCall = (kind: string, id: number, text: GuestText) => {
      posts.push({ kind, id })
      return kind === 'random' ? '5a'.repeat(Number(text.read())) : undefined
    }
    vm.run(meter, 'RUN', JSON.stringify({ config: { token: SECRET, long: SECRET.repeat(5_000) } }))
    for (let at = 0; at < posts.length && at < 50; at++) {
      const { kind, id } = posts[at] ?? assert.fail()
      const json = JSON.stringify({
        status: 200,
        statusText: 'OK',
        rawHeaders: ['x-token', SECRET],
      })
      const bytes = new Uint8Array(Buffer.from(SECRET.repeat(9_000))).buffer
      if (kind === 'request') vm.events(meter, [{ kind: 'response', id, json, bytes }])
      if (kind === 'timer') vm.events(meter, [{ kind: 'timer', id }])
    }
    assert.equal(vm.isBroken, false)
  }
})

function firstDifference(left: Uint8Array, right: Uint8Array): number {
  return Buffer.compare(left, right) === 0 ? -1 : left.findIndex((byte, at) => byte !== right[at])
}
