import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createSecretKey, randomBytes } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { ImageFolder, type ImageFolderOptions } from './image-store.ts'

const key = createSecretKey(randomBytes(32))
const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string]
const IMAGE = randomBytes(10_000)

describe('the folder of bundle images', () => {
  let parent: string
  let folder: string
  let logged: string[]
  const open = (options: Partial<ImageFolderOptions> = {}) =>
    new ImageFolder({
      folder,
      key,
      sandboxVersion: 'one',
      minFreeBytes: 0,
      log: (message, detail) => logged.push(`${message} ${JSON.stringify(detail)}`),
      ...options,
    })

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'linchpin-images-'))
    folder = join(parent, 'bundle-images')
    logged = []
  })
  afterEach(() => rmSync(parent, { recursive: true }))

  it('returns what was written, also to the next process, from files for the owner only', async () => {
    await open().write(A, IMAGE)
    assert.deepEqual(await open().read(A), IMAGE)
    assert.equal(await open().read(B), undefined)
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    assert.equal(statSync(join(folder, A)).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(folder), [A])
    assert.deepEqual(logged, [])
  })

  it('deletes a file in which one bit was changed, and one that is truncated or empty', async () => {
    for (const damage of [
      (file: string) => changeBit(file, 5_000),
      (file: string) => changeBit(file, 3),
      (file: string) => truncateSync(file, 9_999),
      (file: string) => truncateSync(file, 32),
      (file: string) => truncateSync(file, 0),
    ]) {
      await open().write(A, IMAGE)
      damage(join(folder, A))
      assert.equal(await open().read(A), undefined, String(damage))
      assert.ok(!existsSync(join(folder, A)), String(damage))
    }
    assert.equal(logged.length, 5)
  })

  it('deletes an image of another version of the sandbox, with another key, or of another bundle', async () => {
    const others: Partial<ImageFolderOptions>[] = [
      { sandboxVersion: 'two' },
      { key: createSecretKey(randomBytes(32)) },
    ]
    for (const other of others) {
      await open(other).write(A, IMAGE)
      assert.equal(await open().read(A), undefined)
      assert.ok(!existsSync(join(folder, A)))
    }
    await open().write(B, IMAGE)
    writeFileSync(join(folder, A), readFileSync(join(folder, B)))
    assert.equal(await open().read(A), undefined)
    assert.deepEqual(readdirSync(folder), [B])
  })

  it('follows no link in place of a file, and deletes the link only', async () => {
    await open().write(B, IMAGE)
    await open().write(A, IMAGE)
    const target = join(parent, 'target')
    writeFileSync(target, readFileSync(join(folder, A)))
    rmSync(join(folder, A))
    symlinkSync(target, join(folder, A))
    assert.equal(await open().read(A), undefined)
    assert.ok(!existsSync(join(folder, A)))
    assert.ok(existsSync(target))
    symlinkSync(target, join(folder, A))
    await open().write(A, IMAGE)
    assert.ok(lstatSync(join(folder, A)).isFile())
    assert.equal(readFileSync(target).length, IMAGE.length + 32)
  })

  it('writes nothing through a folder that is a link', async () => {
    const elsewhere = mkdtempSync(join(parent, 'elsewhere-'))
    symlinkSync(elsewhere, folder)
    await open().write(A, IMAGE)
    assert.deepEqual(readdirSync(elsewhere), [])
    assert.match(logged.join(), /not a folder/)
  })

  it('writes nothing when little disk space is left, and only logs that', async () => {
    await open({ minFreeBytes: Number.MAX_SAFE_INTEGER }).write(A, IMAGE)
    assert.deepEqual(readdirSync(folder), [])
    assert.match(logged.join(), /too little disk space/)
  })

  it('leaves no file behind when a write fails halfway, as on a full disk', () => {
    const source = `
      import { createSecretKey } from 'node:crypto'
      import { ImageFolder } from ${JSON.stringify(new URL('./image-store.ts', import.meta.url).href)}
      const key = createSecretKey(Buffer.alloc(32))
      const options = { folder: process.argv[1], key, sandboxVersion: 'one', minFreeBytes: 0 }
      const images = new ImageFolder({ ...options, log: (_message, detail) => console.log(detail.error) })
      await images.write('${A}', Buffer.alloc(100_000))`
    const node = [
      process.execPath,
      '--no-warnings',
      '--input-type=module',
      '--eval',
      source,
      folder,
    ]
    // A file of this process may have 8 blocks.
    const output = execFileSync('/bin/sh', ['-c', 'ulimit -f 8; exec "$@"', 'sh', ...node])
    assert.match(output.toString(), /EFBIG/)
    assert.deepEqual(readdirSync(folder), [])
  })

  it('deletes the least recently used files when they become too large in total', async () => {
    const images = open({ maxBytes: 25_000 })
    await images.write(A, IMAGE)
    await images.write(B, IMAGE)
    const old = new Date(Date.now() - 60_000)
    for (const sha256 of [A, B]) utimesSync(join(folder, sha256), old, old)
    await images.read(A)
    await waitUntil(() => statSync(join(folder, A)).mtimeMs > old.getTime())
    await images.write(C, IMAGE)
    assert.deepEqual(readdirSync(folder).sort(), [A, C])
  })

  it('deletes what a writer that crashed has left', async () => {
    await open().write(A, IMAGE)
    const leftOver = join(folder, 'left.tmp')
    writeFileSync(leftOver, IMAGE)
    utimesSync(leftOver, new Date(0), new Date(0))
    await open().write(B, IMAGE)
    assert.deepEqual(readdirSync(folder).sort(), [A, B])
  })
})

function changeBit(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

async function waitUntil(isTrue: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    if (isTrue()) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  assert.fail('it did not become true')
}
