import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, it } from 'node:test'
import { Meter } from './meter.ts'
import { decodeBaseImage, encodeBaseImage } from './stored-images.ts'
import { VmPool } from './vm-pool.ts'
import { readEngine } from './wasm.ts'

const readGenerated = (name: string) =>
  readFileSync(new URL(`../../generated/${name}`, import.meta.url))
const guestScript = readGenerated('guest.js').toString()
const inputs = { guestScript, engine: readEngine() }

describe('the stored image of the guest script', () => {
  it('is that of this engine and this script, so a child need not run the script', async () => {
    const stored = decodeBaseImage(readGenerated('base-image.bin'), inputs)
    assert.ok(stored, 'it can be decoded')
    const [started, restored] = [
      await VmPool.create(guestScript),
      await VmPool.create(guestScript, stored),
    ]
    assert.equal(stored.addresses, started.image.addresses)
    assert.deepEqual(stored.bindings, started.image.bindings)
    assert.equal(restored.image.bytes, stored.bytes, 'it was used')
    const { vm, base } = await restored.acquire(64, undefined)
    vm.restore(base.image, base.bindings, 2 ** 26)
    const posts: string[] = []
    vm.onHostCall = (kind, _id, text) => {
      posts.push(`${kind} ${text.read()}`)
      return undefined
    }
    const meter = new Meter(20_000, 60_000)
    assert.equal(
      vm.compile(meter, 'module.exports = async () => require("util").inspect([1])'),
      undefined,
    )
    assert.equal(vm.load(meter), undefined)
    assert.equal(vm.run(meter, 'RUN', '{}'), undefined)
    assert.ok(posts.includes('done "[ 1 ]"'), posts.join())
  })

  it('is the same every time that it is built from the same inputs', (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'linchpin-image-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const [program, guest] = ['./write-base-image.ts', '../../generated/guest.js'].map((file) =>
      path.join(import.meta.dirname, file),
    )
    const output = path.join(folder, 'base-image.bin')
    execFileSync(process.execPath, ['--no-warnings', String(program), String(guest), output], {
      env: {},
    })
    assert.ok(readFileSync(output).equals(readGenerated('base-image.bin')))
  })

  it('is not used when it is damaged or belongs to another script or engine', () => {
    const file = readGenerated('base-image.bin')
    const damagedImage = Buffer.from(file)
    damagedImage[file.length - 100_000] = (damagedImage[file.length - 100_000] ?? 0) ^ 1
    assert.equal(decodeBaseImage(damagedImage, inputs), undefined)
    assert.equal(decodeBaseImage(file.subarray(0, -8), inputs), undefined)
    assert.equal(decodeBaseImage(Buffer.from('no image'), inputs), undefined)
    assert.equal(decodeBaseImage(file, { ...inputs, guestScript: `${guestScript};` }), undefined)
    assert.equal(decodeBaseImage(file, { ...inputs, engine: new Uint8Array(8) }), undefined)
  })

  it('is decoded as it was encoded', () => {
    const bytes = new Uint8Array(100_000)
    bytes.set([10, 0, 255], 5)
    bytes.set([7], 50_000)
    bytes.set([1], 99_999)
    const image = { addresses: '1 2 3', bindings: { load: 1, run: 2, event: 3 }, bytes }
    const encoded = encodeBaseImage(image, inputs)
    assert.ok(encoded.length < 20_000, 'pages of zeros are not stored')
    const { id, ...decoded } = decodeBaseImage(Buffer.from(encoded), inputs) ?? {}
    assert.deepEqual(decoded, image)
    assert.match(String(id), /^[0-9a-f]{64}$/)
  })
})
